package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisRegistry: RegistryTakeover {
    package func take(_ devices: [TakenDevice], in app: AppID) async throws(StoreError) -> [TakeoverVerdict] {
        try await within(app) { try await take(devices, in: $0) }
    }

    package func begin(_ counts: [TopicName: TopicCount], in app: AppID) async throws(StoreError) {
        guard !counts.isEmpty else { return }
        try await within(app) { try await begin(counts.keys.sorted(), from: counts, in: $0) }
    }
}

/// A device that is about to be created at an index that its token has reserved.
private struct NewDevice {
    /// Among the devices of the call.
    let position: Int
    let id: DeviceID
    let taken: TakenDevice
    /// At the index, without a device: an earlier attempt was interrupted while its records were added to the log.
    var leftover = PackedSubscriptions(bytes: [])

    /// The record of the device comes first.
    var contents: [RegistryChange.Content] {
        [.device(taken.device(tag: id.tag))] + (taken.changes.badge.map { [.badge($0)] } ?? [])
            + taken.subscriptions.sorted { $0.key < $1.key }.map { .subscription($0, $1) }
    }
}

extension RedisRegistry {
    /// Number of changes in one script, which blocks Redis while it runs.
    private static let createdAtOnce = 512
    /// Number of changes appended to the log at once.
    private static let loggedAtOnce = 1_024

    private func take(_ devices: [TakenDevice], in scope: AppScope) async throws(StoreError) -> [TakeoverVerdict] {
        try await root.ensure(scope)
        var verdicts: [TakeoverVerdict?] = devices.map { _ in nil }
        for _ in 0..<RedisRegistry.roundsMaximum {
            let open = devices.indices.filter { verdicts[$0] == nil }
            guard !open.isEmpty else { return verdicts.compactMap { $0 } }
            let new = try await reserve(open, of: devices, verdicts: &verdicts, in: scope)
            let created = journal == nil ? try await create(new, in: scope) : try await log(new, in: scope)
            for device in created { verdicts[device.position] = .created(device.id) }
        }
        throw StoreError(.unavailable, message: "too many concurrent registrations of the same tokens; retry")
    }

    /// Reserves the tokens of devices and returns those to create; known ones get their verdict. A device that is in
    /// neither is to be tried again.
    private func reserve(
        _ positions: [Int], of devices: [TakenDevice], verdicts: inout [TakeoverVerdict?], in scope: AppScope
    ) async throws(StoreError) -> [NewDevice] {
        let candidates = try await allocator.places(positions.count, in: scope).map { place in
            DeviceID(index: place, tag: UInt32(truncatingIfNeeded: random.next()))
        }
        let holders = try await tokens.reserve(
            zip(positions, candidates).map { (devices[$0].token, $1) }, in: scope)
        var new: [NewDevice] = []
        var held: [NewDevice] = []
        for ((position, candidate), holder) in zip(zip(positions, candidates), holders) {
            let device = NewDevice(position: position, id: holder, taken: devices[position])
            if holder == candidate {
                new.append(device)
            } else {
                allocator.giveBack(candidate.index, in: scope)
                held.append(device)
            }
        }
        var indices = Set(new.map(\.id.index))
        for (device, stored) in zip(held, try await read(held.map(\.id.index), in: scope)) {
            guard let stored else {
                throw redis.notReady(
                    "the segment of a token's holder is lost; rebuild the registry or restore a backup")
            }
            switch stored.standing {
            case .living(let living) where living.tag == device.id.tag && living.token == device.taken.token:
                verdicts[device.position] = .known(
                    RegisteredDevice(id: device.id, device: living, badge: stored.badge))
            case .absent:
                // A token that is named twice in one call is created once.
                guard indices.insert(device.id.index).inserted else { continue }
                var device = device
                device.leftover = stored.subscriptions
                new.append(device)
            case .living, .removed:
                try await replaceHolder(of: device, in: scope)
            }
        }
        return new
    }

    /// The token's holder was removed or belongs to another token; the next round finds an index without a device.
    private func replaceHolder(of device: NewDevice, in scope: AppScope) async throws(StoreError) {
        let candidate = DeviceID(
            index: try await allocator.place(in: scope), tag: UInt32(truncatingIfNeeded: random.next()))
        _ = try await tokens.exchange(device.taken.token, from: device.id, to: candidate, in: scope)
    }

    /// Returns the devices that were created: not those whose index has a record by now.
    private func create(_ devices: [NewDevice], in scope: AppScope) async throws(StoreError) -> [NewDevice] {
        let topics = Set(devices.flatMap { $0.taken.subscriptions.keys })
        let numbers = try await names.intern(topics.sorted(), in: scope)
        let places = Set(
            devices.flatMap { device in
                device.taken.subscriptions.keys.compactMap { numbers[$0] }.map {
                    EntryCache.Key(app: scope.app, topic: $0, segment: device.id.index.segment)
                }
            })
        try await topicSegments.enter(places.map { ($0.topic, $0.segment) }, at: now, in: scope)
        let batches = batches(of: devices, numbers: numbers, in: scope)
        var created: [NewDevice] = []
        for (batch, reply) in zip(batches, try await redis.run(batches.map(\.changes.create))) {
            guard let refused = reply.array?.compactMap(\.integer) else {
                throw StoreError(.corrupt, message: "unexpected reply to new devices: \(reply)")
            }
            created += zip(batch.devices, batch.starts).filter { !refused.contains(Int64($1)) }.map(\.0)
        }
        return created
    }

    /// Writes to the log. As with single registrations, what another process registers for the same token at the same
    /// moment may be replaced by these records.
    private func log(_ devices: [NewDevice], in scope: AppScope) async throws(StoreError) -> [NewDevice] {
        guard let journal else { return [] }
        var commits: [SegmentNumber: [[RegistryChange]]] = [:]
        for device in devices {
            let leftover = try await names.names(of: Array(device.leftover.options.keys), in: scope).values
            let ended = leftover.filter { device.taken.subscriptions[$0] == nil }.sorted()
            // The device comes last: without its record nothing of it is visible.
            let contents = ended.map { RegistryChange.Content.subscription($0, nil) } + device.contents.reversed()
            let changes = contents.map { RegistryChange(app: scope.app, index: device.id.index, $0) }
            commits[device.id.index.segment, default: []].append(changes)
        }
        do {
            _ = try await Array(commits.values).concurrentMap(atOnce: commits.count) { commits in
                try await append(commits, to: journal)
            }
        } catch {
            throw StoreError(any: error)
        }
        return devices
    }

    /// Commits of one segment, each with the changes of a device.
    private func append(_ commits: [[RegistryChange]], to journal: any RegistryJournal) async throws(StoreError) {
        var batch: [RegistryChange] = []
        for changes in commits {
            batch += changes
            guard batch.count >= RedisRegistry.loggedAtOnce else { continue }
            try await journal.commit(batch)
            batch = []
        }
        try await journal.commit(batch)
    }

    private struct Batch {
        var devices: [NewDevice] = []
        /// For each device the position of its first change.
        var starts: [Int] = []
        var changes: SegmentChanges
    }

    /// One script for each batch: devices of one segment.
    private func batches(
        of devices: [NewDevice], numbers: [TopicName: TopicNumber], in scope: AppScope
    ) -> [Batch] {
        Dictionary(grouping: devices, by: \.id.index.segment).flatMap { segment, devices in
            var batches: [Batch] = []
            for device in devices.sorted(by: { $0.id.index < $1.id.index }) {
                if batches.last.map({ $0.changes.count >= RedisRegistry.createdAtOnce }) ?? true {
                    batches.append(
                        Batch(changes: SegmentChanges(scope.segment(segment), generation: scope.generation, now: now)))
                }
                let place = batches.count - 1
                batches[place].devices.append(device)
                batches[place].starts.append(batches[place].changes.count)
                for content in device.contents {
                    guard let change = SegmentChanges.Change(content, numbers: numbers) else { continue }
                    batches[place].changes.append(change, at: device.id.index.offset)
                }
            }
            return batches
        }
    }
}
