import Bus
import RedisClient
import ServiceKit
import Topics

/// Keeps one consumer's place in its group: shows that it lives, takes its share of the partitions, hands over what is
/// another's, and records how far the work is done. Runs on a native thread of its own.
struct RedisKeeper {
    private let shared: RedisBusShared
    private let options: ConsumerOptions
    private let member: String
    private let partitionCount: Int
    private let mailbox: Mailbox
    private let tenures: Monitor<RedisTenures>
    private let pulse: Pulse
    private let lost: Counter
    private let assigned: Gauge
    private let buffered: Gauge

    init(
        shared: RedisBusShared, options: ConsumerOptions, member: String, partitionCount: Int, mailbox: Mailbox,
        tenures: Monitor<RedisTenures>, pulse: Pulse
    ) {
        self.shared = shared
        self.options = options
        self.member = member
        self.partitionCount = partitionCount
        self.mailbox = mailbox
        self.tenures = tenures
        self.pulse = pulse
        lost = shared.meters.leasesLost(options.channel.name, options.group)
        assigned = shared.meters.assigned(options.channel.name, options.group)
        buffered = shared.meters.buffered(options.channel.name, options.group)
    }

    private var heartbeat: Duration { shared.configuration.heartbeat }
    private var time: any TimeSource { shared.time }

    func run(until isClosing: @Sendable () -> Bool) {
        var nextBeat = time.uptime
        while !isClosing() {
            pulse.tick()
            if time.uptime >= nextBeat {
                // While partitions change hands it looks more often: the other side is waiting.
                nextBeat = time.uptime + (beat() ? heartbeat : min(heartbeat, .milliseconds(50)))
            }
            if recordProgress() {
                let pause = max(.milliseconds(1), nextBeat - time.uptime)
                _ = mailbox.wait(timeout: pause) { isClosing() || $0.hasNewWatermarks }
            } else {
                // What failed is still to be recorded, and would end the wait above at once.
                _ = tenures.wait(timeout: .milliseconds(100)) { _ in isClosing() ? true : nil }
            }
        }
        leave()
        pulse.rest()
    }

    /// Returns whether everything is in place: no partition missing, none leaving.
    private func beat() -> Bool {
        guard let members = livingMembers() else { return false }
        renew()
        let share = RedisShare.partitions(of: member, among: members, count: partitionCount)
        handOver(except: share)
        let missing = share.subtracting(tenures.withLock { $0.numbers })
        for number in missing.sorted() { acquire(number) }
        assigned.set(tenures.withLock { $0.held.count })
        buffered.set(mailbox.read { $0.bufferedBytes })
        return tenures.withLock { tenures in
            share == Set(tenures.numbers) && !tenures.held.values.contains { $0.leavingSince != nil }
        }
    }

    private func livingMembers() -> [String]? {
        let key = RedisBusKeys.members(channel: options.channel.name, group: options.group)
        let reply = shared.client.wait(
            RedisBusScripts.beat, keys: [key],
            arguments: [RedisArgument(member), RedisArgument(shared.configuration.lease.wholeMilliseconds)])
        switch reply {
        case .success(let value): return value.array?.compactMap(\.string) ?? []
        case .failure(let error):
            shared.log.warning(
                "no heartbeat", [.group: options.group, .topic: options.channel.name, .error: "\(error)"])
            return nil
        }
    }

    private func renew() {
        for (number, tenure) in tenures.withLock({ $0.held }) {
            let partition = partition(number)
            let reply = shared.client.wait(
                RedisBusScripts.renew,
                keys: [RedisBusKeys.lease(partition, group: options.group), RedisBusKeys.state(partition)],
                arguments: [
                    RedisArgument(member), RedisArgument(shared.configuration.lease.wholeMilliseconds),
                    RedisArgument(options.group), RedisArgument(tenure.fence),
                ])
            // No answer is no loss: the lease is still ours until another has taken it.
            if case .success(.integer(0)) = reply { lose(number) }
        }
    }

    private func acquire(_ number: Int32) {
        let partition = partition(number)
        let state = RedisBusKeys.state(partition)
        let enrolled = shared.client.wait(
            RedisBusScripts.enrol, keys: [state], arguments: [RedisArgument(options.group)])
        guard case .success = enrolled else { return }
        let reply = shared.client.wait(
            RedisBusScripts.acquire, keys: [RedisBusKeys.lease(partition, group: options.group), state],
            arguments: [
                RedisArgument(member), RedisArgument(shared.configuration.lease.wholeMilliseconds),
                RedisArgument(options.group),
            ])
        guard case .success(let value) = reply, let answer = value.array, answer.count == 3,
            let fence = answer[0].integer, let done = answer[1].integer, let passed = answer[2].integer
        else { return }
        let inboxTenure = mailbox.change { $0.assign(partition, from: done) }
        tenures.change {
            $0.begin(number, .init(fence: fence, inboxTenure: inboxTenure, position: done, passed: passed))
        }
    }

    /// Lets go of partitions that are others' now: at once when nothing of them is in work, else when that is done or has
    /// taken too long.
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
            if isFree || isOverdue { release(number) }
        }
    }

    private func release(_ number: Int32) {
        _ = recordProgress()
        guard let tenure = tenures.withLock({ $0.held[number] }) else { return }
        let partition = partition(number)
        _ = shared.client.wait(
            RedisBusScripts.release,
            keys: [RedisBusKeys.lease(partition, group: options.group), RedisBusKeys.state(partition)],
            arguments: [RedisArgument(options.group), RedisArgument(tenure.fence)])
        end(number)
    }

    private func lose(_ number: Int32) {
        lost.increment()
        shared.log.warning(
            "partition lost to another consumer",
            [.topic: options.channel.name, .partition: "\(number)", .group: options.group])
        end(number)
    }

    private func end(_ number: Int32) {
        tenures.change { $0.end(number) }
        mailbox.change { $0.remove(partition(number)) }
    }

    /// Records the watermarks that moved; false when one could not be. What never can is done again by whoever holds the
    /// partition next.
    private func recordProgress() -> Bool {
        var isRecorded = true
        for (partition, watermark) in mailbox.change({ $0.takeWatermarks() }) {
            let (fence, passed) = tenures.change { tenures in
                (tenures.held[partition.number]?.fence, tenures.passed(partition.number, upTo: watermark))
            }
            guard let fence else { continue }
            let reply = shared.client.wait(
                RedisBusScripts.advance, keys: [RedisBusKeys.state(partition), RedisBusKeys.log(partition)],
                arguments: [
                    RedisArgument(options.group), RedisArgument(fence), RedisArgument(watermark), RedisArgument(passed),
                    options.channel.declaration.kind == .work ? "1" : "0",
                ])
            switch reply {
            case .success(.integer(0)): lose(partition.number)
            case .success: continue
            case .failure:
                mailbox.change { $0.forgetRecorded(partition) }
                isRecorded = false
            }
        }
        return isRecorded
    }

    private func leave() {
        let held = tenures.withLock { $0.numbers }
        _ = mailbox.drain(held.map { partition($0) }, within: options.handOverDeadline)
        for number in held { release(number) }
        let key = RedisBusKeys.members(channel: options.channel.name, group: options.group)
        _ = shared.client.wait(RedisCommand("ZREM", key, RedisArgument(member)))
    }

    private func partition(_ number: Int32) -> PartitionID {
        PartitionID(channel: options.channel.name, number: number)
    }
}
