import Bus
import PushModel
import ServiceKit
import TestSupport
import Testing

/// The real program with a real Redis.
@Suite(.timeLimit(.minutes(5))) struct SchedulerProcessTests {
    /// Goal: a crash during a release loses no order, repeats at most the orders in progress, and lets no device be
    /// sent twice. Method: thousands of orders are due under a scheduler that is killed while it releases them; another
    /// one takes over, and every chunk of both is claimed as by senders.
    @Test func aCrashWhileReleasingLosesNothing() async throws {
        let harness = try await SchedulerHarness()
        let devices = try await harness.register(500)
        let tasks = try await harness.begin(tasks: 12, with: devices)
        let all = Set(tasks.flatMap { task in devices.map { ReleasedDevice(task: task, index: $0.index) } })
        let consumer = try await harness.readAudience()
        try await harness.order(tasks, devices: devices)

        let first = try await harness.startScheduler()
        var log = AudienceLog()
        while log.devices.count < 500 { try await log.read(consumer) }
        first.signal(9)
        #expect(await first.end() == .signalled(9))
        try log.add(try await harness.unread())
        let before = log.devices
        #expect(Set(before).count < all.count, "the release ended before the crash")
        let leased = try await harness.leased()
        let unacknowledged = try await harness.unacknowledged()
        #expect(!leased.isEmpty)
        #expect(unacknowledged.count < all.count / 2)

        let second = try await harness.startScheduler()
        while !leased.isSubset(of: log.devices.dropFirst(before.count)) || Set(log.devices) != all {
            try await log.read(consumer)
        }
        second.signal(15)
        #expect(await second.end() == .exited(0))
        try log.add(try await harness.unread())
        await consumer.close()

        #expect(Set(log.devices) == all)
        let counts = log.devices.reduce(into: [ReleasedDevice: Int]()) { $0[$1, default: 0] += 1 }
        #expect(Set(counts.filter { $0.value > 1 }.keys).isSubset(of: leased.union(unacknowledged)))
        #expect(try await harness.depth() <= unacknowledged.count)
        #expect(try await harness.claims(of: log.chunks) == all.count)
    }
}
