import PushModel
import ServiceKit
import Store

/// Candidate devices of one segment: those that the task's audience selects or, until their records are read, may
/// select, and those that its list names.
struct CandidateDevices: Sendable {
    let segment: SegmentNumber
    var members = SegmentSet()
    /// Members that accept no alert.
    var silent = SegmentSet()
    /// By their whole ids: an index alone is easily guessed and proves nothing.
    private(set) var listed: Set<DeviceID> = []
    /// Of devices with a content of their own.
    private var contents: [DeviceID: ListedContent] = [:]
    private(set) var offsets = SegmentSet()
    /// From which the filters of the audience are decided; nil once they are, or if it has none.
    private var undecided: SegmentMembers?

    init(segment: SegmentNumber) {
        self.segment = segment
    }

    mutating func add(_ reach: AudienceReach) {
        members.formUnion(reach.selection.members)
        silent.formUnion(reach.selection.silent)
        offsets.formUnion(reach.selection.members)
        undecided = reach.undecided
    }

    /// Decides the filters of the audience by the records of the devices.
    mutating func decide(_ audience: Audience, records: PackedDevices, at moment: Timestamp) {
        guard let found = undecided else { return }
        let selection = audience.select(
            live: found.live, members: found.topics, matching: records.matches(of: audience.filters, at: moment))
        (members, silent) = (selection.members, selection.silent)
        undecided = nil
    }

    /// The first entry that names a device decides its content.
    mutating func add(_ id: DeviceID, content: ListedContent? = nil) {
        listed.insert(id)
        offsets.insert(id.index.offset)
        if let content, contents[id] == nil { contents[id] = content }
    }

    /// Nil for a device that gets the content of the task.
    func content(of offset: UInt16, tag: UInt32) -> ListedContent? {
        guard !contents.isEmpty else { return nil }
        return contents[DeviceID(index: DeviceIndex(segment: segment, offset: offset), tag: tag)]
    }

    func isListed(_ offset: UInt16, tag: UInt32) -> Bool {
        listed.contains(DeviceID(index: DeviceIndex(segment: segment, offset: offset), tag: tag))
    }
}
