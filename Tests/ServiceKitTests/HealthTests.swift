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

    @Test func settingTheWallClockStallsNobody() {
        _ = health.pulse("poll", limit: .seconds(10))
        time.setWallClock(to: Timestamp(milliseconds: 9_000_000_000_000))
        #expect(health.stalledLoops() == [])
    }

    @Test func aRestingLoopMayBeSilent() {
        health.pulse("poll", limit: .seconds(10)).rest()
        time.advance(by: .seconds(11))
        #expect(health.stalledLoops() == [])
    }

    @Test func namesWhatStandsInTheWay() async {
        health.addReadinessCheck("redis") { .notReady("no connection") }
        health.addReadinessCheck("bus") { .ready }
        #expect(await health.obstacles() == ["redis: no connection"])
        health.startDraining()
        #expect(await health.obstacles() == ["shutting down", "redis: no connection"])
    }
}
