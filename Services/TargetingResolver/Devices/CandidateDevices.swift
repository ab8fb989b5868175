import PushModel

/// Candidate devices of one segment: members of the task's audience, and those that its list names.
struct CandidateDevices: Sendable {
    let segment: SegmentNumber
    var members = SegmentSet()
    /// Members that accept no alert.
    var silent = SegmentSet()
    /// By their whole ids: an index alone is easily guessed and proves nothing.
    private(set) var listed: Set<DeviceID> = []
    private(set) var offsets = SegmentSet()

    init(segment: SegmentNumber) {
        self.segment = segment
    }

    mutating func add(_ selection: AudienceSelection) {
        members.formUnion(selection.members)
        silent.formUnion(selection.silent)
        offsets.formUnion(selection.members)
    }

    mutating func add(_ id: DeviceID) {
        listed.insert(id)
        offsets.insert(id.index.offset)
    }

    func isListed(_ offset: UInt16, tag: UInt32) -> Bool {
        listed.contains(DeviceID(index: DeviceIndex(segment: segment, offset: offset), tag: tag))
    }
}
