import PushModel

/// The devices that the entries of a list name, as far as the registry knows them without their records.
struct ListedDevices: Sendable {
    /// By segment in ascending order.
    let candidates: [CandidateDevices]
    /// The ids that each entry names. Ids are accepted, and checked against the records later.
    private let ids: [[DeviceID]]

    /// The ids of each entry of the list.
    init(_ ids: [[DeviceID]] = [], contents list: ListedEntries = ListedEntries()) {
        self.ids = ids
        var candidates: [SegmentNumber: CandidateDevices] = [:]
        for (place, some) in ids.enumerated() {
            let content = list.content(at: place)
            for id in some {
                let segment = id.index.segment
                candidates[segment, default: CandidateDevices(segment: segment)].add(id, content: content)
            }
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
