import ServiceKit
import TestSupport
import Testing

@Suite struct ManualTimeSourceTests {
    private let time = ManualTimeSource()

    @Test func turnsBothHands() {
        let before = (now: time.now, uptime: time.uptime)
        time.advance(by: .milliseconds(1_500))
        #expect(time.now - before.now == .milliseconds(1_500))
        #expect(time.uptime - before.uptime == .milliseconds(1_500))
    }

    @Test func wakesASleeperWhenItIsDueAndNotBefore() async throws {
        let woken = Monitor(false)
        let sleeper = Task {
            try await time.sleep(for: .seconds(10))
            woken.change { $0 = true }
        }
        #expect(await time.hasSleepers(1))
        time.advance(by: .milliseconds(9_999))
        #expect(await time.hasSleepers(1), "the task must still sleep")
        #expect(woken.withLock { !$0 })
        time.advance(by: .milliseconds(1))
        try await sleeper.value
        #expect(woken.withLock { $0 })
    }

    @Test func leavesThoseAsleepWhoAreNotDue() async throws {
        let short = Task { try await time.sleep(for: .seconds(1)) }
        let long = Task { try await time.sleep(for: .seconds(100)) }
        #expect(await time.hasSleepers(2))
        time.advance(by: .seconds(1))
        try await short.value
        #expect(await !time.hasSleepers(2, within: .zero))
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(99))
        try await long.value
    }

    @Test func doesNotSleepForNothing() async throws {
        try await time.sleep(for: .zero)
        try await time.sleep(for: .seconds(-1))
    }

    @Test func settingTheWallClockWakesNoSleeper() async throws {
        let sleeper = Task { try await time.sleep(for: .seconds(10)) }
        #expect(await time.hasSleepers(1))
        let uptime = time.uptime
        time.setWallClock(to: Timestamp(milliseconds: 4_000_000_000_000))
        #expect(time.now == Timestamp(milliseconds: 4_000_000_000_000))
        #expect(time.uptime == uptime)
        #expect(await time.hasSleepers(1, within: .zero))
        time.advance(by: .seconds(10))
        try await sleeper.value
    }

    @Test func cancellationEndsASleep() async {
        let sleeper = Task { try await time.sleep(for: .seconds(10)) }
        #expect(await time.hasSleepers(1))
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(await !time.hasSleepers(1, within: .zero))
    }

    /// The task is cancelled before it starts to sleep, the order in which a continuation is easily lost.
    @Test func aCancelledTaskDoesNotFallAsleep() async {
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.sleep(for: .seconds(10))
        }
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
