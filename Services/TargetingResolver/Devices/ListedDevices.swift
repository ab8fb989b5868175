import PushModel

/// The devices that the entries of a list name, as far as the registry knows them without their records.
struct ListedDevices: Sendable {
    /// By segment in ascending order.
    let candidates: [CandidateDevices]
    /// The ids that each entry names. Ids are accepted, and checked against the records later.
    private let ids: [[DeviceID]]

    init(_ ids: [[DeviceID]] = []) {
        self.ids = ids
        var candidates: [SegmentNumber: CandidateDevices] = [:]
        for id in ids.joined() {
            let segment = id.index.segment
            candidates[segment, default: CandidateDevices(segment: segment)].add(id)
        }
        self.candidates = candidates.values.sorted { $0.segment < $1.segment }
    }

    /// The number of entries that name no registered device. `found` are the records of all candidates.
    func unmatched(in found: [SelectedDevices]) -> Int {
        guard !ids.isEmpty else { return 0 }
        let registered = Set(found.lazy.flatMap(\.registered))
        return ids.count { !$0.contains(where: registered.contains) }
    }
}
