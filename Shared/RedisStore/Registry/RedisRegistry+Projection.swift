package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisRegistry: RegistryProjection {
    package func apply(_ changes: [LoggedChange]) async throws(StoreError) {
        try await apply(changes, in: try await root.ready())
    }

    package func applied(in segments: [SegmentID]) async throws(StoreError) -> [Int64] {
        try await applied(in: segments, of: try await root.ready())
    }

    /// With `contests`, devices that share a token are all applied and noted there, to be settled later.
    func apply(
        _ changes: [LoggedChange], in generation: RegistryGeneration, noting contests: TokenContests? = nil
    ) async throws(StoreError) {
        var apps: [AppID] = []
        for change in changes where !apps.contains(change.change.app) { apps.append(change.change.app) }
        for app in apps {
            let scope = AppScope(generation: generation, app: app)
            try await apply(changes.filter { $0.change.app == app }, in: scope, noting: contests)
        }
    }

    func applied(
        in segments: [SegmentID], of generation: RegistryGeneration
    ) async throws(StoreError) -> [Int64] {
        let replies = try await redis.send(
            segments.map { RedisCommand("HMGET", SegmentKeys($0).header, "generation", "applied") })
        var offsets: [Int64] = []
        for (segment, reply) in zip(segments, replies) {
            let fields = reply.array ?? []
            if fields.first?.string == generation.id {
                offsets.append(fields.last?.integer ?? 0)
            } else if try await exists(segment.number, in: AppScope(generation: generation, app: segment.app)) {
                throw redis.notReady("segment \(segment) is lost; rebuild the registry or restore a backup")
            } else {
                offsets.append(0)
            }
        }
        return offsets
    }
}

/// Applies the records of the log in their order. As with direct writes, aliases, topics and tokens are entered before
/// the segment stores the device, because the segment then counts the record as applied and it is not read again.
extension RedisRegistry {
    private func apply(
        _ changes: [LoggedChange], in scope: AppScope, noting contests: TokenContests?
    ) async throws(StoreError) {
        guard let last = changes.map(\.change.index.segment).max() else { return }
        try await root.ensure(scope)
        try await allocator.ensure(last, in: scope)
        let pending = try await unapplied(changes, in: scope)
        let numbers = try await enterTopics(of: pending, in: scope)
        try await enterAliases(of: pending, in: scope)
        let contested = try await contested(in: pending, in: scope)
        if let contests {
            for change in pending {
                guard case .device(let device?) = change.change.content, contested.contains(device.token) else {
                    continue
                }
                contests.note(change.change.index, of: scope.app)
            }
            return try await flush(pending, numbers: numbers, atOnce: RedisRegistry.refilledAtOnce, in: scope)
        }
        var batch: [LoggedChange] = []
        for change in pending {
            if case .device(let device?) = change.change.content, contested.contains(device.token) {
                // The other device with the token must be stored before the two can be compared.
                try await flush(batch, numbers: numbers, in: scope)
                batch = [try await settle(change, device: device, in: scope)]
            } else {
                batch.append(change)
            }
        }
        try await flush(batch, numbers: numbers, in: scope)
    }

    private func unapplied(
        _ changes: [LoggedChange], in scope: AppScope
    ) async throws(StoreError) -> [LoggedChange] {
        let segments = Array(Set(changes.map(\.change.segment)))
        let applied = Dictionary(zip(segments, try await applied(in: segments, of: scope.generation))) { first, _ in
            first
        }
        return changes.filter { $0.offset >= applied[$0.change.segment, default: 0] }
    }

    private func enterTopics(
        of changes: [LoggedChange], in scope: AppScope
    ) async throws(StoreError) -> [TopicName: TopicNumber] {
        let joining = changes.filter { $0.change.content.isSubscription }
        let left = Set(changes.compactMap(\.change.content.namedTopic))
        var numbers = try await names.numbers(of: Array(left), in: scope)
        // A count precedes the first subscription.
        let joined = Set(changes.filter { $0.change.content.needsNumber }.compactMap(\.change.content.namedTopic))
        numbers.merge(try await names.intern(Array(joined), in: scope)) { known, _ in known }
        let pairs = Set(
            joining.compactMap { change in
                change.change.content.topic.flatMap { numbers[$0] }.map {
                    EntryCache.Key(app: scope.app, topic: $0, segment: change.change.index.segment)
                }
            })
        try await topicSegments.enter(pairs.map { ($0.topic, $0.segment) }, at: now, in: scope)
        return numbers
    }

    /// The log is the source of truth: no limit excludes one of its devices.
    private func enterAliases(of changes: [LoggedChange], in scope: AppScope) async throws(StoreError) {
        var claims: [AliasLists.Claim] = []
        for change in changes {
            if case .device(let device?) = change.change.content { claims += device.claims(at: change.change.index) }
        }
        _ = try await aliases.enter(claims, at: now, most: Int(Int32.max), in: scope)
    }

    /// Reserves the tokens of all devices; returns the tokens that another device holds.
    private func contested(
        in changes: [LoggedChange], in scope: AppScope
    ) async throws(StoreError) -> Set<PushToken> {
        var requests: [(token: PushToken, candidate: DeviceID)] = []
        for change in changes {
            guard case .device(let device?) = change.change.content else { continue }
            requests.append((device.token, DeviceID(index: change.change.index, tag: device.tag)))
        }
        let holders = try await tokens.reserve(requests, in: scope)
        return Set(zip(requests, holders).filter { $0.candidate != $1 }.map(\.0.token))
    }

    /// Two devices can have the same token only after a loss of Redis: the second was registered before the record of
    /// the first was applied. The same device is kept regardless of when and how often the log is read.
    private func settle(
        _ change: LoggedChange, device: Device, in scope: AppScope
    ) async throws(StoreError) -> LoggedChange {
        let index = change.change.index
        let own = DeviceID(index: index, tag: device.tag)
        let holder = try await tokens.reserve(device.token, for: own, in: scope)
        guard try await isKept(device, at: index, against: holder, in: scope) else {
            return LoggedChange(offset: change.offset, RegistryChange(app: scope.app, index: index, .device(nil)))
        }
        return change
    }

    /// The same for a device that is already stored.
    func settleToken(of index: DeviceIndex, in scope: AppScope) async throws(StoreError) {
        guard let device = try await read(index, in: scope)?.living else { return }
        let own = DeviceID(index: index, tag: device.tag)
        let holder = try await tokens.reserve(device.token, for: own, in: scope)
        if try await !isKept(device, at: index, against: holder, in: scope) { try await evict(index, in: scope) }
    }

    /// Gives the token to the device and removes the other living device with it, unless that one is newer.
    private func isKept(
        _ device: Device, at index: DeviceIndex, against holder: DeviceID, in scope: AppScope
    ) async throws(StoreError) -> Bool {
        let own = DeviceID(index: index, tag: device.tag)
        if holder.index != index, let other = try await read(holder.index, in: scope)?.living(tag: holder.tag),
            other.token == device.token
        {
            guard (other.updated, holder.index) < (device.updated, index) else { return false }
            try await evict(holder.index, in: scope)
            _ = try await tokens.reserve(device.token, for: own, in: scope)
        } else if holder != own {
            _ = try await tokens.exchange(device.token, from: holder, to: own, in: scope)
        }
        return true
    }

    private func evict(_ index: DeviceIndex, in scope: AppScope) async throws(StoreError) {
        var script = SegmentChanges(scope.segment(index.segment), generation: scope.generation, now: now)
        script.append(.remove, at: index.offset)
        let removed = try await redis.run(script.commit)
        try await dropAliases(from: removed.array?.last?.bytes ?? [], to: .device(nil), index: index, in: scope)
    }

    /// Number of changes of a segment in one script, which blocks Redis while it runs.
    private static let changesAtOnce = 256
    /// The same during a rebuild: the more changes share a script, the less often a field is written.
    private static let refilledAtOnce = 1_024

    /// All scripts are sent at once. Those of one segment form a chain: if one failed alone, the segment would
    /// otherwise apply later changes and permanently skip those of the failed script.
    private func flush(
        _ changes: [LoggedChange], numbers: [TopicName: TopicNumber], atOnce: Int = changesAtOnce, in scope: AppScope
    ) async throws(StoreError) {
        var parts: [ArraySlice<LoggedChange>] = []
        var calls: [ScriptCall] = []
        for (segment, changes) in Dictionary(grouping: changes, by: \.change.segment) {
            var predecessor: Int64?
            for part in changes.chunks(of: atOnce) {
                var script = SegmentChanges(segment, generation: scope.generation, now: now)
                for change in part {
                    let content = SegmentChanges.Change(change.change.content, numbers: numbers) ?? .unsubscribe(0)
                    script.append(content, at: change.change.index.offset, logOffset: change.offset)
                }
                parts.append(part)
                calls.append(script.applyLogged(after: predecessor))
                predecessor = part.last.map { $0.offset + 1 }
            }
        }
        for (part, reply) in zip(parts, try await redis.run(calls)) {
            try await dropAliases(of: part, found: reply.array ?? [], in: scope)
        }
    }

    /// `found` alternates between the position of a change and the record that was stored before it.
    private func dropAliases(
        of changes: ArraySlice<LoggedChange>, found: [RedisValue], in scope: AppScope
    ) async throws(StoreError) {
        for position in stride(from: 0, to: found.count - 1, by: 2) {
            guard let place = found[position].integer.flatMap(Int.init(exactly:)), place >= 0, place < changes.count
            else { throw StoreError(.corrupt, message: "unexpected reply to changes of the log: \(found[position])") }
            let change = changes[changes.startIndex + place].change
            try await dropAliases(
                from: found[position + 1].bytes ?? [], to: change.content, index: change.index, in: scope)
        }
    }
}
