import ServiceKit
import TestSupport
import Testing

@Suite struct HealthTests {
    private let time = ManualTimeSource()
    private let health: Health

    init() {
        health = Health(time: time)
    }

    @Test func aLoopThatStopsTickingIsNamed() {
        let poll = health.pulse("poll", limit: .seconds(10))
        _ = health.pulse("sweep", limit: .seconds(60))
        time.advance(by: .seconds(10))
        #expect(health.stalledLoops() == [])
        time.advance(by: .milliseconds(1))
        #expect(health.stalledLoops() == ["poll has not ticked for 10001 ms"])
        poll.tick()
        #expect(health.stalledLoops() == [])
    }

    @Test func settingTheWallClockStallsNothing() {
        _ = health.pulse("poll", limit: .seconds(10))
        time.setWallClock(to: Timestamp(milliseconds: 9_000_000_000_000))
        #expect(health.stalledLoops() == [])
    }

    @Test func aRestingLoopMayBeSilent() {
        health.pulse("poll", limit: .seconds(10)).rest()
        time.advance(by: .seconds(11))
        #expect(health.stalledLoops() == [])
    }

    @Test func aRemarkDoesNotAffectReadiness() async {
        health.addRemark("apps") { "news.json is wrong" }
        health.addRemark("quiet") { nil }
        #expect(health.remarks() == ["apps: news.json is wrong"])
        #expect(await health.obstacles() == [])
    }

    @Test func namesWhatStandsInTheWay() async {
        health.addReadinessCheck("redis") { .notReady("no connection") }
        health.addReadinessCheck("bus") { .ready }
        #expect(await health.obstacles() == ["redis: no connection"])
        health.startDraining()
        #expect(await health.obstacles() == ["shutting down", "redis: no connection"])
    }

    @Test func aServiceIsNotReadyBeforeItHasStarted() async {
        health.beginStart()
        #expect(await health.obstacles() == ["starting"])
        health.addReadinessCheck("bus") { .notReady("no connection") }
        #expect(await health.obstacles() == ["bus: no connection"])
        health.endStart()
        #expect(await health.obstacles() == ["bus: no connection"])
    }

    /// Goal: a hanging check does not delay the response, and is not started again and again. Method: it counts its
    /// starts.
    @Test func aCheckThatHangsIsAReason() async {
        let began = Monitor(0)
        let answer = OneTimeEvent()
        health.addReadinessCheck("stuck") {
            began.change { $0 += 1 }
            await answer.wait()
            return .ready
        }
        for _ in 1...2 {
            async let obstacles = health.obstacles()
            #expect(await time.hasSleepers(1))
            time.advance(by: .seconds(2))
            #expect(await obstacles == ["stuck: no reply within 2s"])
        }
        #expect(began.withLock { $0 } == 1)
        answer.happen()
        #expect(await health.obstacles() == [])
    }

    /// Goal: checks run concurrently. Method: each finishes only after the other has started.
    @Test func checksAreAskedAtOnce() async {
        let (first, second) = (OneTimeEvent(), OneTimeEvent())
        health.addReadinessCheck("first") {
            first.happen()
            await second.wait()
            return .notReady("one")
        }
        health.addReadinessCheck("second") {
            second.happen()
            await first.wait()
            return .notReady("two")
        }
        #expect(await health.obstacles() == ["first: one", "second: two"])
    }
}
