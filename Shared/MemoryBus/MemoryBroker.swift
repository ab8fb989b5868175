import Bus
import ServiceKit
import Synchronization
import Topics

/// The logs, groups and partition owners. Mailboxes are filled while the broker's lock is held, and no mailbox calls
/// back into the broker, so the two locks are always taken in that order.
final class MemoryBroker: Sendable {
    /// One consumer of a group.
    final class Member: Sendable {
        let mailbox: Mailbox

        init(mailbox: Mailbox) {
            self.mailbox = mailbox
        }
    }

    fileprivate struct Group {
        var members: [Member] = []
        var owners: [Member?]
        var fetched: [Int64]
        var done: [Int64]
        /// Messages that were removed before they were read.
        var missing = 0
    }

    fileprivate struct ChannelState {
        let channel: Channel
        var logs: [MemoryLog]
        var groups: [String: Group] = [:]
        var bytes: Int { logs.reduce(0) { $0 + $1.bytes } }
    }

    fileprivate struct Waiter {
        let id: Int
        let channel: String
        let continuation: CheckedContinuation<Bool, Never>
    }

    fileprivate struct State {
        var channels: [String: ChannelState] = [:]
        var waiters: [Waiter] = []
        /// Events of readers that wait for the next message of a channel.
        var arrivals: [String: [OneTimeEvent]] = [:]
        var waiterIDs = 0
    }

    private let bytesMaximum: Int
    private let keepsWork: Bool
    private let state = Mutex(State())

    init(bytesMaximum: Int, keepsWork: Bool) {
        self.bytesMaximum = bytesMaximum
        self.keepsWork = keepsWork
    }

    /// Nil if a topic with forward admission is at its bound.
    func append(_ messages: [OutgoingMessage], now: Timestamp, random: any RandomSource) -> [MessagePosition]? {
        state.withLock { state in
            for message in messages { state.touch(message.channel) }
            let isFull = messages.contains { message in
                message.channel.declaration.admission == .forward
                    && (state.channels[message.channel.name]?.bytes ?? 0) >= bytesMaximum
            }
            guard !isFull else { return nil }
            let positions = messages.compactMap { state.append($0, now: now, random: random) }
            for name in Set(messages.map(\.channel.name)) {
                pump(name, state: &state)
                for arrival in state.arrivals.removeValue(forKey: name) ?? [] { arrival.happen() }
            }
            return positions
        }
    }

    /// Waits until the channel has room; false if `giveUpWaiting` is called first with the number given to `waiting`.
    func awaitRoom(in channel: Channel, waiting: (Int) -> Void) async -> Bool {
        await withCheckedContinuation { continuation in
            let id = state.withLock { state -> Int? in
                guard (state.channels[channel.name]?.bytes ?? 0) >= bytesMaximum else { return nil }
                state.waiterIDs += 1
                state.waiters.append(
                    Waiter(id: state.waiterIDs, channel: channel.name, continuation: continuation))
                return state.waiterIDs
            }
            if let id { waiting(id) } else { continuation.resume(returning: true) }
        }
    }

    func giveUpWaiting(_ id: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    func join(_ member: Member, channel: Channel, group: String) {
        state.withLock { state in
            state.touch(channel)
            let partitions = channel.declaration.partitions.embedded
            let starts = state.channels[channel.name]?.logs.map(\.firstOffset) ?? []
            let fresh = Group(owners: Array(repeating: nil, count: partitions), fetched: starts, done: starts)
            state.channels[channel.name]?.groups[group, default: fresh].members.append(member)
            pump(channel.name, state: &state)
        }
    }

    /// Work that the member completed stays done; its other messages are delivered to other members.
    func leave(_ member: Member, channel: Channel, group: String) {
        state.withLock { state in
            collectDone(channel.name, state: &state)
            state.channels[channel.name]?.groups[group]?.members.removeAll { $0 === member }
            for partition in state.channels[channel.name]?.logs.indices ?? 0..<0
            where state.channels[channel.name]?.groups[group]?.owners[partition] === member {
                state.channels[channel.name]?.groups[group]?.owners[partition] = nil
            }
            for id in member.mailbox.read({ $0.assigned }) { member.mailbox.change { $0.remove(id) } }
            pump(channel.name, state: &state)
        }
    }

    func snapshot(of channel: Channel) -> [IncomingMessage] {
        state.withLock { state in
            (state.channels[channel.name]?.logs ?? []).flatMap { $0.messages(from: 0, bytesMaximum: .max) }
        }
    }

    /// The offsets that each partition holds now.
    func held(_ channel: Channel) -> [Int32: Range<Int64>] {
        state.withLock { state in
            state.touch(channel)
            let logs = state.channels[channel.name]?.logs ?? []
            return Dictionary(
                uniqueKeysWithValues: logs.enumerated().map { (Int32($0), $1.firstOffset..<$1.nextOffset) })
        }
    }

    /// Topics that were never used are missing.
    func progress(of readers: [BusReader]) -> [BusReader: GroupProgress] {
        state.withLock { state in
            var progress: [BusReader: GroupProgress] = [:]
            for reader in readers {
                guard let channel = state.channels[reader.channel.name] else { continue }
                progress[reader] = channel.progress(of: reader.group)
            }
            return progress
        }
    }

    /// Removes so many messages of each partition that some group has not handled, the oldest first.
    func removeUnhandled(_ count: Int, of channel: Channel) -> [IncomingMessage] {
        state.withLock { state in
            collectDone(channel.name, state: &state)
            return state.channels[channel.name]?.removeUnhandled(count) ?? []
        }
    }

    func missing(by reader: BusReader) -> Int {
        state.withLock { $0.channels[reader.channel.name]?.groups[reader.group]?.missing ?? 0 }
    }

    /// If there are no messages after these positions, the event happens with the next message.
    func read(
        _ channel: Channel, from positions: LogPositions, bytesMaximum: Int, notifying arrival: OneTimeEvent?
    ) -> [IncomingMessage] {
        state.withLock { state in
            let logs = state.channels[channel.name]?.logs ?? []
            let messages = logs.enumerated().flatMap { number, log in
                log.messages(from: positions[Int32(number)], bytesMaximum: bytesMaximum)
            }
            if messages.isEmpty, let arrival { state.arrivals[channel.name, default: []].append(arrival) }
            return messages
        }
    }

    func forget(_ arrival: OneTimeEvent) {
        state.withLock { state in
            for name in state.arrivals.keys { state.arrivals[name]?.removeAll { $0 === arrival } }
        }
    }

    /// Called after a completion: partitions may change owners, logs may be trimmed, producers may continue.
    func progress(_ channel: Channel) {
        state.withLock { pump(channel.name, state: &$0) }
    }

    private func pump(_ name: String, state: inout State) {
        collectDone(name, state: &state)
        balance(name, state: &state)
        fill(name, state: &state)
        state.channels[name]?.trim(bytesMaximum: bytesMaximum, keepsWork: keepsWork)
        guard (state.channels[name]?.bytes ?? 0) < bytesMaximum else { return }
        let ready = state.waiters.filter { $0.channel == name }
        state.waiters.removeAll { $0.channel == name }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    private func collectDone(_ name: String, state: inout State) {
        for (groupName, group) in state.channels[name]?.groups ?? [:] {
            for (partition, owner) in group.owners.enumerated() {
                let id = PartitionID(channel: name, number: Int32(partition))
                guard let done = owner?.mailbox.read({ $0.watermark(of: id) }) else { continue }
                state.channels[name]?.groups[groupName]?.done[partition] = done
            }
        }
    }

    /// Assigns partitions to the members round-robin. A partition that changes owners waits for the work in flight,
    /// even if it returns to the member that was releasing it.
    private func balance(_ name: String, state: inout State) {
        for (groupName, group) in state.channels[name]?.groups ?? [:] {
            var group = group
            for partition in group.owners.indices {
                let id = PartitionID(channel: name, number: Int32(partition))
                let target = group.members.isEmpty ? nil : group.members[partition % group.members.count]
                if let owner = group.owners[partition], owner !== target || owner.mailbox.read({ $0.isLeaving(id) }) {
                    let isFree = owner.mailbox.change { inbox in
                        inbox.beginLeaving(id)
                        return !inbox.hasFlights(id)
                    }
                    guard isFree else { continue }
                    owner.mailbox.change { $0.remove(id) }
                    group.owners[partition] = nil
                }
                if group.owners[partition] == nil, let target {
                    group.owners[partition] = target
                    group.fetched[partition] = group.done[partition]
                    target.mailbox.change { $0.assign(id, from: group.done[partition]) }
                }
            }
            state.channels[name]?.groups[groupName] = group
        }
    }

    private func fill(_ name: String, state: inout State) {
        guard let channel = state.channels[name] else { return }
        for (groupName, group) in channel.groups {
            for (partition, owner) in group.owners.enumerated() {
                let id = PartitionID(channel: name, number: Int32(partition))
                guard let owner, let room = owner.mailbox.change({ $0.room(for: id) }) else { continue }
                let fresh = channel.logs[partition].messages(from: group.fetched[partition], bytesMaximum: room)
                guard let last = fresh.last else { continue }
                let missing = owner.mailbox.change { $0.offer(fresh, to: id) }
                state.channels[name]?.groups[groupName]?.missing += Int(missing)
                state.channels[name]?.groups[groupName]?.fetched[partition] = last.offset + 1
            }
        }
    }
}

extension Inbox {
    /// Bytes of a partition that may be offered now; nil if its share is full.
    fileprivate mutating func room(for id: PartitionID) -> Int? {
        guard !updatePause(), !updateResting().contains(id) else { return nil }
        return max(1, min(1 << 20, share))
    }
}

extension MemoryBroker.State {
    fileprivate mutating func touch(_ channel: Channel) {
        guard channels[channel.name] == nil else { return }
        let partitions = channel.declaration.partitions.embedded
        channels[channel.name] = .init(channel: channel, logs: (0..<partitions).map { _ in MemoryLog() })
    }

    fileprivate mutating func append(
        _ message: OutgoingMessage, now: Timestamp, random: any RandomSource
    ) -> MessagePosition? {
        let name = message.channel.name
        let count = message.channel.declaration.partitions.embedded
        let number =
            message.key.map { Partitioner.partition(ofKey: $0, count: count) } ?? Int32(random.next() % UInt64(count))
        let partition = PartitionID(channel: name, number: number)
        return channels[name]?.logs[Int(number)].append(message, to: partition, now: now)
    }
}

extension MemoryBroker.ChannelState {
    /// A group that has not begun has handled nothing; what was removed from the log does not wait for it.
    fileprivate func progress(of group: String) -> GroupProgress {
        let done = groups[group]?.done ?? logs.map { _ in 0 }
        let waiting = zip(logs, done).reduce(0) { $0 + Int($1.0.nextOffset - max($1.0.firstOffset, $1.1)) }
        return GroupProgress(waiting: waiting, handled: Int(done.reduce(0, +)))
    }

    fileprivate mutating func removeUnhandled(_ count: Int) -> [IncomingMessage] {
        logs.indices.flatMap { partition in
            let handled = max(groups.values.map { $0.done[partition] }.min() ?? 0, logs[partition].firstOffset)
            let removed = logs[partition].messages(from: handled, bytesMaximum: .max).prefix(count)
            logs[partition].removeAll(before: handled + Int64(removed.count))
            return removed
        }
    }

    /// Work is removed once every group has handled it; a log drops its oldest messages above the bound, and kept work
    /// those of them that every group has handled.
    fileprivate mutating func trim(bytesMaximum: Int, keepsWork: Bool) {
        for partition in logs.indices {
            let handled = groups.values.map { $0.done[partition] }.min() ?? 0
            switch channel.declaration.kind {
            case .work where !keepsWork: logs[partition].removeAll(before: handled)
            case .work, .keptWork: logs[partition].trim(to: bytesMaximum / logs.count, before: handled)
            case .log: logs[partition].trim(to: bytesMaximum / logs.count, before: .max)
            }
        }
    }
}
