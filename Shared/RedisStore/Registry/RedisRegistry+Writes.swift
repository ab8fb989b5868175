import PushModel
import RedisClient
import ServiceKit
package import Store

/// Changes of one device and their preconditions.
struct DeviceWrite {
    let index: DeviceIndex
    let condition: SegmentChanges.Condition
    var changes: [RegistryChange.Content]
    /// The subscriptions that must be stored; nil for any.
    var subscriptions: PackedSubscriptions?
    /// The previous device, if known: its aliases need no new entry.
    var known: Device?
}

enum WriteVerdict {
    /// For each change, true if it changed existing state: a device existed before, a subscription is new, or a removed
    /// subscription existed.
    case done([Bool])
    /// The device does not exist or was removed.
    case gone
    /// The device has changed since it was read.
    case changed
    case tooMany
}

extension RedisRegistry: RegistryJournal {
    /// Writes unconditionally and without the log.
    package func commit(_ changes: [RegistryChange]) async throws(StoreError) {
        for changes in changes.groups(by: \.index) {
            let write = DeviceWrite(index: changes[0].index, condition: .none, changes: changes.map(\.content))
            _ = try await within(changes[0].app) { try await writeDirectly(write, in: $0) }
        }
    }

    func write(_ write: DeviceWrite, in scope: AppScope) async throws(StoreError) -> WriteVerdict {
        try await beginCounts(before: write, in: scope)
        guard let journal else { return try await writeDirectly(write, in: scope) }
        return try await self.write(write, through: journal, in: scope)
    }

    /// One script applies all changes or none. Lookup entries of the device are written before it and obsolete ones
    /// removed after it: entries left by a crash match no record, which is detected when the record is read.
    private func writeDirectly(_ write: DeviceWrite, in scope: AppScope) async throws(StoreError) -> WriteVerdict {
        try await root.ensure(scope)
        try await enterAliases(of: write, in: scope)
        let numbers = try await enterTopics(of: write, in: scope)
        var script = SegmentChanges(scope.segment(write.index.segment), generation: scope.generation, now: now)
        script.require(write.condition, of: write.index.offset, subscriptions: write.subscriptions)
        var written: [Int] = []
        for (position, content) in write.changes.enumerated() {
            guard let change = SegmentChanges.Change(content, numbers: numbers) else { continue }
            script.append(change, at: write.index.offset)
            written.append(position)
        }
        let reply = try await redis.run(script.commit)
        switch reply.array?.first?.integer.flatMap({ CommitReplyCode(rawValue: $0) }) {
        case .done: break
        case .gone: return .gone
        case .changed: return .changed
        case .tooMany: return .tooMany
        case nil: throw StoreError(.corrupt, message: "unexpected reply to a write: \(reply)")
        }
        var outcomes = [Bool](repeating: false, count: write.changes.count)
        for (position, result) in zip(written, reply.array?.dropFirst() ?? []) {
            outcomes[position] = result.integer == 1 || result.bytes?.isEmpty == false
            try await dropAliases(
                from: result.bytes ?? [], to: write.changes[position], index: write.index, in: scope)
        }
        return .done(outcomes)
    }

    /// The log has no conditions: they are checked before the commit, and the applied state is read after it.
    private func write(
        _ write: DeviceWrite, through journal: any RegistryJournal, in scope: AppScope
    ) async throws(StoreError) -> WriteVerdict {
        guard let stored = try await read(write.index, in: scope) else { return .gone }
        if let obstacle = write.obstacle(stored) { return obstacle }
        try await enterAliases(of: write, in: scope)
        let topics = write.changes.compactMap(\.topic)
        let numbers = try await names.numbers(of: topics, in: scope)
        let options = stored.subscriptions.options
        let had = Set(topics.filter { topic in numbers[topic].map { options[$0] != nil } ?? false })
        let added = write.changes.count { $0.isSubscription && $0.topic.map { !had.contains($0) } ?? false }
        let ended = write.changes.count { !$0.isSubscription && $0.topic.map(had.contains) ?? false }
        guard added == 0 || had.count + added <= RegistryBounds.subscriptionsMaximum,
            added == 0 || stored.subscriptions.count - ended + added <= RegistryBounds.subscriptionsMaximum
        else { return .tooMany }
        let contents = try await endings(of: write, stored, in: scope) + write.changes
        try await journal.commit(contents.map { RegistryChange(app: scope.app, index: write.index, $0) })
        if write.changes.contains(where: \.isPut) {
            let applied = try await read(write.index, in: scope)
            if applied?.living == nil {
                // The device was removed in between; the log must not end with a record that restores it.
                try await journal.commit([RegistryChange(app: scope.app, index: write.index, .device(nil))])
                return .gone
            }
        }
        return .done(
            write.changes.map { content in
                switch content {
                case .device: stored.living != nil
                case .subscription(let topic, let options): had.contains(topic) == (options == nil)
                case .purge, .badge, .audience, .count, .group, .transfer, .activity: false
                }
            })
    }
}

extension RedisRegistry {
    /// The records to remove together with a device; otherwise they would stay in the log permanently.
    private func endings(
        of write: DeviceWrite, _ stored: StoredDevice, in scope: AppScope
    ) async throws(StoreError) -> [RegistryChange.Content] {
        guard write.changes.contains(.device(nil)) else { return [] }
        let topics = try await names.names(of: Array(stored.subscriptions.options.keys), in: scope).values
        return topics.map { .subscription($0, nil) } + [.badge(nil)]
    }

    private func enterAliases(of write: DeviceWrite, in scope: AppScope) async throws(StoreError) {
        var claims: [AliasLists.Claim] = []
        for case .device(let device?) in write.changes {
            claims += device.claims(at: write.index).filter { write.known?.carries($0.alias) != true }
        }
        guard !claims.isEmpty else { return }
        let most = RegistryBounds.devicesOfAliasMaximum
        for claim in try await aliases.enter(claims, at: now, most: most, in: scope) {
            // Some entries may belong to devices that no longer carry the alias but are too recent to be removed.
            let carriers = try await devices(of: claim.alias, in: scope)
            guard carriers.count < most,
                try await aliases.enter([claim], at: now, most: 2 * most, in: scope).isEmpty
            else {
                throw StoreError(
                    .tooMany, message: "the alias already has the maximum of \(most) devices")
            }
        }
    }

    /// The numbers of all topics that already have one or are subscribed to in this write.
    private func enterTopics(
        of write: DeviceWrite, in scope: AppScope
    ) async throws(StoreError) -> [TopicName: TopicNumber] {
        let joined = write.changes.filter(\.isSubscription).compactMap(\.topic)
        let left = write.changes.filter { !$0.isSubscription }.compactMap(\.namedTopic)
        var numbers = try await names.numbers(of: left, in: scope)
        guard !joined.isEmpty else { return numbers }
        let interned = try await names.intern(joined, in: scope)
        numbers.merge(interned) { known, _ in known }
        try await topicSegments.enter(
            interned.values.map { ($0, write.index.segment) }, at: now, in: scope)
        return numbers
    }

    /// Called after a device was replaced or removed.
    func dropAliases(
        from old: [UInt8], to content: RegistryChange.Content, index: DeviceIndex, in scope: AppScope
    ) async throws(StoreError) {
        guard case .device(let device) = content, let before = Device(packed: old[...]) else { return }
        let kept = Set(device?.claims(at: index).map(\.alias) ?? [])
        let dropped = before.claims(at: index).filter { !kept.contains($0.alias) }
        if !dropped.isEmpty {
            // A living device may be about to carry the alias again; a removed one never will.
            let limit = device == nil ? UInt32.max : now - min(now, AliasLists.graceSeconds)
            try await aliases.leave(dropped, enteredBefore: limit, in: scope)
        }
        if device == nil {
            let id = DeviceID(index: index, tag: before.tag)
            _ = try await tokens.exchange(before.token, from: id, to: nil, in: scope)
        }
    }
}

extension DeviceWrite {
    /// Checks the same conditions as the script.
    fileprivate func obstacle(_ stored: StoredDevice) -> WriteVerdict? {
        switch (condition, stored.standing) {
        case (.none, _): return nil
        case (_, .removed): return .gone
        case (.absent, .absent): return nil
        case (.absent, .living): return .changed
        case (_, .absent): return .gone
        case (.living(let tag), .living(let device)) where device.tag != tag: return .gone
        case (.record(let record), _) where record != stored.record: return .changed
        default: break
        }
        return subscriptions.map { $0 == stored.subscriptions } ?? true ? nil : .changed
    }
}

extension RegistryChange.Content {
    var topic: TopicName? {
        guard case .subscription(let topic, _) = self else { return nil }
        return topic
    }

    /// Any topic whose number the change needs.
    var namedTopic: TopicName? {
        switch self {
        case .purge(let topic), .count(let topic, _): topic
        case .device, .subscription, .badge, .audience, .group, .transfer, .activity: topic
        }
    }

    var isSubscription: Bool {
        guard case .subscription(_, .some) = self else { return false }
        return true
    }

    /// True if a topic without a number gets one.
    var needsNumber: Bool {
        if case .count = self { return true }
        return isSubscription
    }

    var isPut: Bool {
        guard case .device(.some) = self else { return false }
        return true
    }
}

extension SegmentChanges.Change {
    /// Nil for an unsubscription from an unknown topic, and for its purge.
    init?(_ content: RegistryChange.Content, numbers: [TopicName: TopicNumber]) {
        switch content {
        case .device(let device?): self = .put(device.packed)
        case .device(nil): self = .remove
        case .purge(let topic):
            guard let number = numbers[topic] else { return nil }
            self = .purge(number)
        case .badge(let badge): self = .badge(badge)
        case .audience(let name, let definition): self = .audience(name, definition)
        case .group(let group): self = .group(group)
        case .transfer(let id, let record): self = .transfer(id, record)
        case .activity(let fact, let record): self = .activity(fact, record)
        case .count(let topic, let change):
            guard let number = numbers[topic] else { return nil }
            self = .count(number, change)
        case .subscription(let topic, let options):
            guard let number = numbers[topic] else { return nil }
            self = options.map { .subscribe(number, $0) } ?? .unsubscribe(number)
        }
    }
}

extension Device {
    func carries(_ alias: Alias) -> Bool {
        aliases[alias.kind].map { $0.utf8.elementsEqual(alias.value.utf8) } ?? false
    }

    func claims(at index: DeviceIndex) -> [AliasLists.Claim] {
        aliases.compactMap { kind, value in
            (try? Alias(kind, value: value)).map { AliasLists.Claim(alias: $0, index: index) }
        }
    }
}
