import PushModel
import ServiceKit
import Store
import TaskModel
import Topics

/// Counts the devices that a draft or an audience would reach now.
struct AudienceCount: Sendable {
    private static let segmentsAtOnce = 4

    let registry: any Registry
    let reader: any RegistryReader
    let turns: CountTurns
    let time: any TimeSource

    func count(_ draft: TaskDraft, in app: AppID) async throws -> Int {
        let now = time.now
        let moment = draft.timing.sendAt(acceptedAt: now) ?? now
        guard let audience = draft.audience else { return try await countListed(draft, in: app, at: moment) }
        let meansAll = draft.content.targetedPlatforms.isSuperset(of: Platform.supported)
        if draft.entries.isEmpty, meansAll, audience.filters.isEmpty {
            return try await reader.size(of: audience, in: app, at: moment)
        }
        return try await turns.run(for: app) { try await countListed(draft, in: app, at: moment) }
    }

    func platforms(of audience: Audience, in app: AppID) async throws -> [Platform: Int] {
        try await turns.run(for: app) {
            let (reader, moment) = (reader, time.now)
            let segments = try await reader.segments(of: audience, in: app)
            let counts = try await segments.concurrentMap(atOnce: AudienceCount.segmentsAtOnce) { number in
                try await reader.protocols(of: audience, in: SegmentID(app, number: number), at: moment)
            }
            return counts.joined().reduce(into: [:]) { $0[Platform($1.key), default: 0] += $1.value }
        }
    }

    private func countListed(
        _ draft: TaskDraft, in app: AppID, at moment: Timestamp
    ) async throws(StoreError) -> Int {
        let listed = try await listed(draft.entries, in: app)
        var segments = Set(listed.keys)
        if let audience = draft.audience { segments.formUnion(try await reader.segments(of: audience, in: app)) }
        var count = 0
        for number in segments.sorted() {
            let segment = SegmentID(app, number: number)
            let members = try await members(of: draft.audience, in: segment, at: moment)
            count += try await self.count(
                members, listed: listed[number] ?? [], platforms: draft.content.targetedPlatforms, in: segment)
        }
        return count
    }

    /// A listed id counts only if its tag matches the device at that index.
    private func count(
        _ members: SegmentSet, listed: Set<DeviceID>, platforms: Set<Platform>, in segment: SegmentID
    ) async throws(StoreError) -> Int {
        let devices = try await reader.devices(
            at: members.union(SegmentSet(listed.map(\.index.offset).sorted())), in: segment)
        return (0..<devices.count).count { place in
            guard let device = devices.device(at: place) else { return false }
            let offset = devices.offsets[place]
            let id = DeviceID(index: DeviceIndex(segment: segment.number, offset: offset), tag: device.tag)
            return platforms.contains(Platform(device.token.kind)) && (members.contains(offset) || listed.contains(id))
        }
    }

    private func listed(
        _ entries: [TargetEntry], in app: AppID
    ) async throws(StoreError) -> [SegmentNumber: Set<DeviceID>] {
        var listed: [SegmentNumber: Set<DeviceID>] = [:]
        for entry in entries {
            for device in try await devices(of: entry, in: app) {
                listed[device.index.segment, default: []].insert(device)
            }
        }
        return listed
    }

    private func devices(of entry: TargetEntry, in app: AppID) async throws(StoreError) -> [DeviceID] {
        switch entry {
        case .device(let id): [id]
        case .alias(let alias): try await registry.devices(of: alias, in: app)
        case .token(let token): try await registry.device(of: token, in: app).map { [$0] } ?? []
        }
    }

    private func members(
        of audience: Audience?, in segment: SegmentID, at moment: Timestamp
    ) async throws(StoreError) -> SegmentSet {
        guard let audience else { return SegmentSet() }
        return try await reader.select(audience, in: segment, at: moment).members
    }
}
