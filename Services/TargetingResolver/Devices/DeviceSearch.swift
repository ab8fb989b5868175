import PushModel
import ServiceKit
import Store
import TaskModel

/// Queries the registry. An incomplete registry throws, and the caller waits: an empty answer means no devices.
struct DeviceSearch: Sendable {
    /// Concurrent queries of one job.
    static let questionsAtOnce = 16

    let registry: any Registry & RegistryReader & RegistryMaintenance

    /// True if the registry as a whole is ready, and only the requested segment is missing: waiting in place would
    /// block work that does not need it.
    func isOfOneSegment(_ error: any Error) async throws -> Bool {
        guard (error as? StoreError)?.code == .notReady else { return false }
        return try await registry.state() == .ready
    }

    /// Segments that may hold members of the task's audience.
    func segments(_ input: ResolutionInput) async throws -> [SegmentNumber] {
        guard let audience = input.audience else { return [] }
        return try await registry.segments(of: audience, in: input.app)
    }

    func reach(_ audience: Audience, in segment: SegmentNumber, of app: AppID) async throws -> AudienceReach {
        let found = try await registry.members(of: audience.topics, in: [segment], of: app).first
        return AudienceReach(audience, in: found ?? SegmentMembers())
    }

    func listed(_ list: ListedEntries, in app: AppID) async throws -> ListedDevices {
        let ids = try await list.entries.concurrentMap(atOnce: DeviceSearch.questionsAtOnce) { entry -> [DeviceID] in
            switch entry {
            case .device(let id): [id]
            case .alias(let alias): try await registry.devices(of: alias, in: app)
            case .token(let token): try await registry.device(of: token, in: app).map { [$0] } ?? []
            }
        }
        return ListedDevices(ids, contents: list)
    }

    /// The existing candidates that the audience selects, or the list names, and for whose provider the task has a
    /// payload.
    func find(_ candidates: CandidateDevices, input: ResolutionInput) async throws -> SelectedDevices {
        let records = try await records(of: candidates.offsets, in: SegmentID(input.app, number: candidates.segment))
        var candidates = candidates
        if let audience = input.audience { candidates.decide(audience, records: records, at: input.begins) }
        var members = SegmentSet()
        var alerted = SegmentSet()
        var contents: [UInt16: ContentNumber] = [:]
        for (position, offset) in records.offsets.enumerated() {
            guard let head = Device.PackedHead(records.record(at: position)) else { continue }
            let content = candidates.content(of: offset, tag: head.tag)
            guard
                (content?.providers ?? input.providers).contains(head.kind)
                    || input.startedType.map({ records.record(at: position).startsActivities(of: $0) }) == true
            else { continue }
            if let content { contents[offset] = content.number }
            // A device that is listed explicitly is not notified silently.
            let isListed = !candidates.listed.isEmpty && candidates.isListed(offset, tag: head.tag)
            if isListed { alerted.insert(offset) }
            if isListed || candidates.members.contains(offset) { members.insert(offset) }
        }
        return SelectedDevices(
            segment: candidates.segment, members: members,
            silent: candidates.silent.subtracting(alerted).intersection(members), contents: contents, records: records)
    }

    /// The same for several segments. The candidates contain those that are listed.
    func find(
        _ candidates: [CandidateDevices], listed: ListedDevices = ListedDevices(), input: ResolutionInput
    ) async throws -> FoundDevices {
        let found = try await candidates.concurrentMap(atOnce: DeviceSearch.questionsAtOnce) {
            try await find($0, input: input)
        }
        return FoundDevices(
            selected: found.filter { !$0.members.isEmpty }, unmatched: listed.unmatched(in: found))
    }

    /// The devices that a job decided on earlier.
    func find(_ decided: DecidedDevices, in app: AppID) async throws -> [SelectedDevices] {
        try await decided.parts.concurrentMap(atOnce: DeviceSearch.questionsAtOnce) { part in
            SelectedDevices(
                segment: part.segment, members: part.members, silent: part.silent, contents: part.contents,
                records: try await records(of: part.members, in: SegmentID(app, number: part.segment)))
        }
    }

    private func records(of offsets: SegmentSet, in segment: SegmentID) async throws -> PackedDevices {
        offsets.isEmpty ? PackedDevices() : try await registry.devices(at: offsets, in: segment)
    }
}
