import MemoryStore
import ProviderKit
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Rates of tasks and apps, kept at the provider.
@Suite(.timeLimit(.minutes(5))) struct PacedDispatchTests {
    /// The times at which pushes were sent.
    private final class SendTimes: Sendable {
        private let times = Monitor<[Duration]>([])

        var all: [Duration] { times.withLock { $0 } }

        func add(_ time: Duration) {
            times.change { $0.append(time) }
        }

        /// The most pushes in any second.
        var mostInASecond: Int {
            let all = self.all.sorted()
            return all.indices.map { first in
                all[first...].prefix { $0 < all[first] + .seconds(1) }.count
            }.max() ?? 0
        }

        func count(inSecond second: Int) -> Int {
            all.count { Duration.seconds(second) <= $0 && $0 < .seconds(second + 1) }
        }
    }

    /// A sender with its gateway.
    private struct Sender {
        let handler: DispatchHandler
        let count: Int
        let partsAtOnce: Int
        let times = SendTimes()
        private let overRate: Counter

        init(_ count: Int, seed: UInt64 = 1, partsAtOnce: Int = 1, fixture: DispatchFixture) {
            self.count = count
            self.partsAtOnce = partsAtOnce
            overRate = fixture.metrics.counter(.senderDevicesOverRate)
            let (times, time) = (times, fixture.time)
            let gateway = ScriptedGateway { _ in
                times.add(time.uptime)
                return .answered(.delivered)
            }
            handler = fixture.handler(gateway, seed: seed)
        }

        /// Pushes that have taken their slots and wait for them.
        var sleepers: Int { min(partsAtOnce, count - overRate.value - times.all.count) }
    }

    /// Advances the clock until all pushes are sent.
    private func advance(_ fixture: DispatchFixture, until senders: Sender..., jumps: [Int: Duration] = [:]) async {
        for step in 0... {
            func sleepers() -> Int { senders.reduce(0) { $0 + $1.sleepers } }
            while await !fixture.time.hasSleepers(sleepers(), within: .milliseconds(1)) {}
            guard sleepers() > 0 else { return }
            fixture.time.advance(by: jumps[step] ?? .milliseconds(5))
        }
    }

    /// Goal: in no second more pushes are sent than the rate allows, also after a stall; without one at most 5 % less.
    /// Method: a chunk for 4.5 seconds; in one case the process stands still for a second and a half.
    @Test(arguments: [false, true])
    func noSecondHasMorePushesThanTheRate(stalls: Bool) async throws {
        let fixture = try DispatchFixture()
        let count = 440
        let offsets = (0..<count).map { UInt16($0) }
        try await fixture.plan(marking: offsets)
        let sender = Sender(count, fixture: fixture)
        let times = sender.times
        let chunk = try fixture.chunk(offsets, rates: [PushRate(100, of: .task(fixture.task))])
        async let end = fixture.run(sender.handler, chunk: chunk, time: ManualTimeSource())
        await advance(fixture, until: sender, jumps: stalls ? [150: .milliseconds(1_500)] : [:])
        _ = try await end
        #expect(try await fixture.counts()[.delivered] == count)
        #expect(times.mostInASecond <= 100)
        guard !stalls else { return }
        for second in 0..<4 { #expect(times.count(inSecond: second) >= 95, "second \(second)") }
    }

    /// Two senders of different providers keep one rate.
    @Test func sendersShareARate() async throws {
        let fixture = try DispatchFixture()
        let offsets = (0..<200).map { UInt16($0) }
        try await fixture.plan(marking: offsets)
        let rates = [PushRate(100, of: .app(fixture.app)), PushRate(500, of: .task(fixture.task))]
        let (first, second) = (Sender(100, fixture: fixture), Sender(100, seed: 2, fixture: fixture))
        let chunks = (
            try fixture.chunk(Array(offsets[..<100]), rates: rates),
            try fixture.chunk(Array(offsets[100...]), rates: rates)
        )
        async let one = fixture.run(first.handler, chunk: chunks.0, time: ManualTimeSource())
        async let other = fixture.run(second.handler, chunk: chunks.1, time: ManualTimeSource())
        await advance(fixture, until: first, second)
        _ = try await (one, other)
        let times = SendTimes()
        for time in first.times.all + second.times.all { times.add(time) }
        #expect(times.mostInASecond <= 100 && times.count(inSecond: 0) >= 95 && times.count(inSecond: 1) >= 95)
    }

    /// Goal: two tasks of a group at once, in two senders, keep the rate of the group together. Method: 500 a second, for
    /// four seconds.
    @Test func theTasksOfAGroupShareItsRate() async throws {
        let fixture = try DispatchFixture()
        let offsets = (0..<1_000).map { UInt16($0) }
        let other = TaskID(high: 7, low: 10)
        try await fixture.plan(marking: offsets)
        try await fixture.plan(marking: offsets, of: other)
        let rates = [PushRate(500, of: .group(fixture.app, 3))]
        let first = Sender(1_000, partsAtOnce: 8, fixture: fixture)
        let second = Sender(1_000, seed: 2, partsAtOnce: 8, fixture: fixture)
        let chunks = (
            try fixture.chunk(offsets, rates: rates), try fixture.chunk(offsets, rates: rates, of: other)
        )
        async let one = fixture.run(first.handler, chunk: chunks.0, time: ManualTimeSource())
        async let another = fixture.run(second.handler, chunk: chunks.1, time: ManualTimeSource())
        await advance(fixture, until: first, second)
        _ = try await (one, another)
        for task in [fixture.task, other] { #expect(try await fixture.counts(of: task)[.delivered] == 1_000) }
        let times = SendTimes()
        for time in first.times.all + second.times.all { times.add(time) }
        #expect(times.mostInASecond <= 500)
        for second in 1..<4 { #expect(times.count(inSecond: second) >= 475, "second \(second)") }
        // Neither waits for the other.
        for sender in [first, second] { #expect(sender.times.count(inSecond: 1) >= 200) }
    }

    /// Goal: what may not be sent within seconds does not stay in the sender, and loses no attempt. Method: a chunk of
    /// ten seconds.
    @Test func whatWouldWaitForLongIsPutAside() async throws {
        let fixture = try DispatchFixture()
        let offsets = (0..<1_000).map { UInt16($0) }
        try await fixture.plan(marking: offsets)
        let sender = Sender(1_000, fixture: fixture)
        let chunk = try fixture.chunk(offsets, rates: [PushRate(100, of: .app(fixture.app))])
        async let end = fixture.run(sender.handler, chunk: chunk, time: ManualTimeSource())
        await advance(fixture, until: sender)
        _ = try await end
        let counts = try await fixture.counts()
        #expect(counts[.delivered] >= 500 && counts[.waiting] >= 480 && counts.open == counts[.waiting])
        let orders = try fixture.producer.retries()
        #expect(orders.flatMap(\.devices).count == counts[.waiting])
        #expect(orders.allSatisfy { $0.attempt == 0 && $0.timing == .ofTask })
        #expect(orders.allSatisfy { $0.due >= (DispatchFixture.start + PacingBounds.takenAhead).milliseconds })
        #expect(fixture.metrics.counter(.senderDevicesOverRate).value == counts[.waiting])
    }
}
