import Bus
import RedisClient
import ServiceKit
import Topics

/// Maintains one consumer's membership in its group: sends heartbeats, acquires its share of the partitions, releases
/// the others, and records progress. Runs on a native thread of its own.
struct RedisKeeper {
    private let shared: RedisBusShared
    private let options: ConsumerOptions
    private let member: String
    private let partitionCount: Int
    private let mailbox: Mailbox
    private let tenures: Monitor<RedisTenures>
    private let joined: OneTimeEvent
    private let pulse: Pulse
    private let meters: GroupMeters

    init(
        shared: RedisBusShared, options: ConsumerOptions, member: String, partitionCount: Int, mailbox: Mailbox,
        tenures: Monitor<RedisTenures>, joined: OneTimeEvent, pulse: Pulse
    ) {
        self.shared = shared
        self.options = options
        self.member = member
        self.partitionCount = partitionCount
        self.mailbox = mailbox
        self.tenures = tenures
        self.joined = joined
        self.pulse = pulse
        meters = shared.meters.group(options.group, of: options.channel.name)
    }

    private var heartbeat: Duration { shared.configuration.heartbeat }
    private var time: any TimeSource { shared.time }

    func run(until isClosing: @Sendable () -> Bool) {
        var nextBeat = time.uptime
        var rest = TakeOverRest(lease: shared.configuration.lease)
        while !isClosing() {
            pulse.tick()
            if time.uptime >= nextBeat {
                let beat = beat(&rest)
                // While partitions change owners it beats more often: the other consumer is waiting.
                nextBeat = time.uptime + (beat == .settled ? heartbeat : min(heartbeat, .milliseconds(50)))
            }
            if recordProgress() {
                let pause = max(.milliseconds(1), nextBeat - time.uptime)
                _ = mailbox.wait(timeout: pause) { isClosing() || $0.hasNewWatermarks }
            } else {
                // Failed progress is still unrecorded, and would end the wait above immediately.
                _ = tenures.wait(timeout: .milliseconds(100)) { _ in isClosing() ? true : nil }
            }
        }
        leave()
        pulse.rest()
    }

    private enum Beat {
        case settled
        /// A partition is missing or leaving.
        case changing
        case unanswered
    }

    private func beat(_ rest: inout TakeOverRest) -> Beat {
        guard let members = livingMembers(), renew() else { return .unanswered }
        let isJoining = !joined.hasHappened
        guard !isJoining || enrol(in: Array(0..<Int32(partitionCount))).count == partitionCount else {
            return .unanswered
        }
        joined.happen()
        let mayAcquire = rest.noteAnswer(at: time.uptime)
        let share = RedisShare.partitions(of: member, among: members, count: partitionCount)
        handOver(except: share)
        if mayAcquire {
            let missing = share.subtracting(tenures.withLock { $0.numbers }).sorted()
            for number in isJoining ? missing : enrol(in: missing) { acquire(number) }
        }
        meters.assigned.set(tenures.withLock { $0.held.count })
        meters.heldBack.set(tenures.withLock { $0.heldBackCount })
        meters.buffered.set(mailbox.read { $0.bufferedBytes })
        return tenures.withLock { tenures in
            let isLeaving = tenures.held.values.contains { $0.leavingSince != nil }
            return share == Set(tenures.numbers) && !isLeaving ? .settled : .changing
        }
    }

    private func livingMembers() -> [String]? {
        let reply = ask(
            RedisBusScripts.beat, keys: [membersKey],
            arguments: [RedisArgument(member), RedisArgument(shared.configuration.lease.wholeMilliseconds)])
        return reply?.array?.compactMap(\.string)
    }

    /// False if Redis did not answer. That is harmless: the leases are ours until another consumer takes them.
    private func renew() -> Bool {
        for (number, tenure) in tenures.withLock({ $0.held }) {
            if tenure.isRewritten {
                loseRewritten(number)
                continue
            }
            let partition = partition(number)
            let keys = [leaseKey(partition), RedisBusKeys.state(partition), RedisBusKeys.log(partition)]
            let reply = ask(
                RedisBusScripts.renew, keys: keys,
                arguments: [
                    RedisArgument(member), RedisArgument(shared.configuration.lease.wholeMilliseconds),
                    RedisArgument(options.group), RedisArgument(tenure.fence), RedisArgument(tenure.recorded),
                ] + RedisKeeper.arguments(of: tenure.last))
            guard let next = reply?.integer else { return false }
            if next == TenureReplyCode.rewritten.rawValue {
                loseRewritten(number)
            } else if next < 0 {
                lose(number, reason: "another consumer took it over")
            } else if next < tenure.position {
                // New messages would get offsets that were read before, which would go unnoticed.
                meters.gaps.increment(by: Int(tenure.position - next))
                lose(
                    number,
                    reason: "Redis lost messages that were read: next offset \(next) instead of \(tenure.position)")
            }
        }
        return true
    }

    /// Registers the group with the partitions; returns those for which Redis answered. With all partitions when a
    /// consumer joins: it misses nothing from then on, even if another group is faster, and also in partitions held by
    /// other members of its group. Later before each tenure, since a Redis that was restored may not know the group.
    private func enrol(in numbers: [Int32]) -> [Int32] {
        defer { pulse.tick() }
        let replies = shared.client.wait(
            RedisBusScripts.enrol, keysOfCalls: numbers.map { [RedisBusKeys.state(partition($0))] },
            arguments: [RedisArgument(options.group)])
        var answered: [Int32] = []
        var failure: RedisError?
        for (number, reply) in zip(numbers, replies) {
            switch reply {
            case .success: answered.append(number)
            case .failure(let error): failure = failure ?? error
            }
        }
        if let failure { warn(failure) }
        return answered
    }

    private func acquire(_ number: Int32) {
        let partition = partition(number)
        let reply = ask(
            RedisBusScripts.acquire, keys: [leaseKey(partition), RedisBusKeys.state(partition)],
            arguments: [
                RedisArgument(member), RedisArgument(shared.configuration.lease.wholeMilliseconds),
                RedisArgument(options.group),
            ])
        guard let answer = reply?.array, answer.count == 3, let fence = answer[0].integer,
            let done = answer[1].integer, let passed = answer[2].integer
        else { return }
        let inboxTenure = mailbox.change { $0.assign(partition, from: done) }
        tenures.change {
            $0.begin(number, tenure: .init(fence: fence, inboxTenure: inboxTenure, position: done, passed: passed))
        }
    }

    /// Releases partitions that now belong to others: immediately if none of their work is in flight, otherwise when it
    /// is done or the deadline has passed.
    private func handOver(except share: Set<Int32>) {
        let now = time.uptime
        for (number, tenure) in tenures.withLock({ $0.held }) {
            if share.contains(number) && tenure.leavingSince == nil { continue }
            tenures.change { $0.markLeaving(number, since: now) }
            let partition = partition(number)
            let isFree = mailbox.change { inbox in
                inbox.beginLeaving(partition)
                return !inbox.hasFlights(partition)
            }
            let isOverdue = now - (tenure.leavingSince ?? now) >= options.handOverDeadline
            if isFree || isOverdue { release(number, evenUnrecorded: isOverdue) }
        }
    }

    /// False if Redis did not answer. Unrecorded work would be done again by the next owner, so the partition is kept
    /// for a retry unless the deadline has passed.
    @discardableResult
    private func release(_ number: Int32, evenUnrecorded: Bool) -> Bool {
        guard recordProgress() || evenUnrecorded else { return false }
        // Recording may have shown that the partition was lost; then there is nothing to release.
        guard let tenure = tenures.withLock({ $0.held[number] }) else { return true }
        let partition = partition(number)
        let reply = ask(
            RedisBusScripts.release, keys: [leaseKey(partition), RedisBusKeys.state(partition)],
            arguments: [RedisArgument(options.group), RedisArgument(tenure.fence)])
        end(number)
        return reply != nil
    }

    /// The loss cannot be counted. The next tenure starts where the restored log says.
    private func loseRewritten(_ number: Int32) {
        meters.gaps.increment()
        lose(number, reason: "Redis lost messages that were read, and the log has grown again since")
    }

    private static func arguments(of mark: RedisStreamEntry.Mark?) -> [RedisArgument] {
        guard let mark else { return ["", ""] }
        return [RedisArgument(mark.nextOffset), RedisArgument(mark.time)]
    }

    private func lose(_ number: Int32, reason: String) {
        meters.lost.increment()
        shared.log.warning(
            "partition lost",
            [
                .topic: options.channel.name, .partition: "\(number)", .group: options.group, .reason: reason,
            ])
        end(number)
    }

    private func end(_ number: Int32) {
        tenures.change { $0.end(number) }
        mailbox.change { $0.remove(partition(number)) }
    }

    /// Records the watermarks that moved; false if Redis did not answer. Unrecorded work is done again by the
    /// partition's next holder.
    private func recordProgress() -> Bool {
        let moved = mailbox.change { $0.takeWatermarks() }
        var isAnswered = true
        for (partition, watermark) in moved {
            let number = partition.number
            let (tenure, passed, last) = tenures.change { tenures in
                (
                    tenures.held[number], tenures.notePassed(number, upTo: watermark),
                    tenures.toRecognise(number, at: time.uptime)
                )
            }
            // The next beat releases a rewritten partition.
            guard let tenure, !tenure.isRewritten else { continue }
            // After one unanswered request each of the others would only time out too.
            let reply =
                isAnswered
                ? ask(
                    RedisBusScripts.advance, keys: [RedisBusKeys.state(partition), RedisBusKeys.log(partition)],
                    arguments: [
                        RedisArgument(options.group), RedisArgument(tenure.fence), RedisArgument(watermark),
                        RedisArgument(passed), RedisArgument(options.channel.declaration.kind.rawValue),
                        RedisArgument(tenure.recorded),
                    ] + RedisKeeper.arguments(of: last)) : nil
            switch reply?.integer {
            case nil:
                isAnswered = false
                mailbox.change { $0.forgetRecorded(partition) }
            case TenureReplyCode.over.rawValue:
                lose(number, reason: "another consumer took it over, or Redis lost completed messages")
            case TenureReplyCode.rewritten.rawValue: loseRewritten(number)
            default: tenures.change { $0.record(number, fence: tenure.fence, watermark: watermark) }
            }
        }
        return isAnswered
    }

    /// Stops at the first unanswered request: without Redis nothing can be released, and the leases expire by
    /// themselves.
    private func leave() {
        let held = tenures.withLock { $0.numbers }
        _ = mailbox.drain(held.map { partition($0) }, within: options.handOverDeadline)
        let isAnswered = held.allSatisfy { release($0, evenUnrecorded: false) }
        for number in tenures.withLock({ $0.numbers }) { end(number) }
        if isAnswered { _ = shared.client.wait(RedisCommand("ZREM", membersKey, RedisArgument(member))) }
    }

    /// Nil without an answer. Ticks the pulse, since waiting for Redis does not count as stuck.
    private func ask(_ script: RedisScript, keys: [RedisArgument], arguments: [RedisArgument]) -> RedisValue? {
        defer { pulse.tick() }
        switch shared.client.wait(script, keys: keys, arguments: arguments) {
        case .success(let value): return value
        case .failure(let error):
            warn(error)
            return nil
        }
    }

    private func warn(_ error: RedisError) {
        shared.log.warning(
            "Redis request of a consumer failed",
            [.topic: options.channel.name, .group: options.group, .error: "\(error)"])
    }

    private var membersKey: RedisArgument {
        RedisBusKeys.members(channel: options.channel.name, group: options.group)
    }

    private func leaseKey(_ partition: PartitionID) -> RedisArgument {
        RedisBusKeys.lease(partition, group: options.group)
    }

    private func partition(_ number: Int32) -> PartitionID {
        PartitionID(channel: options.channel.name, number: number)
    }
}
