import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import ProviderKit

/// What a sender does not send any more, since a newer state of the activity was sent.
@Suite struct ActivityWatchTests {
    private let time = ManualTimeSource()
    private let registry: MemoryRegistry
    private let app: AppID
    private let order: ActivityID

    init() async throws {
        registry = MemoryRegistry(time: time, random: SeededRandomSource(seed: 1))
        app = try AppID("news")
        order = try ActivityID("order")
    }

    private func set(timestamp: Int64, hasEnded: Bool = false) throws {
        let read = try registry.clock(of: order, in: app.activities)
        var clock = read
        clock.begin(timestamp: timestamp, at: time.now)
        if hasEnded {
            let id = TaskID(high: 1, low: 1)
            _ = clock.request(stamp: id, isEnd: true, task: id, at: time.now)
        }
        _ = try registry.replace(read, by: clock, of: order, in: app.activities)
    }

    private func state(_ event: ActivityEvent, timestamp: Int64) -> ChunkActivity {
        ChunkActivity(event, of: order, timestamp: timestamp)
    }

    @Test func anOlderStateGivesWay() async throws {
        let watch = ActivityWatch(registry, time: time)
        try set(timestamp: 100)
        #expect(await watch.isSuperseded(state(.update, timestamp: 99), of: app.activities))
        #expect(await !watch.isSuperseded(state(.update, timestamp: 100), of: app.activities))
        #expect(await watch.isSuperseded(state(.end, timestamp: 99), of: app.activities))
        // A state that is released meanwhile is seen soon.
        try set(timestamp: 101)
        time.advance(by: .milliseconds(60))
        #expect(await watch.isSuperseded(state(.update, timestamp: 100), of: app.activities))
    }

    @Test func aStartGivesWayToTheEndAlone() async throws {
        let watch = ActivityWatch(registry, time: time)
        try set(timestamp: 100)
        #expect(await !watch.isSuperseded(state(.start, timestamp: 1), of: app))
        try set(timestamp: 100, hasEnded: true)
        time.advance(by: .seconds(1))
        #expect(await watch.isSuperseded(state(.start, timestamp: 1), of: app))
    }

    @Test func anUnknownClockHoldsNothingBack() async throws {
        let watch = ActivityWatch(registry, time: time)
        #expect(await !watch.isSuperseded(state(.update, timestamp: 1), of: app.activities))
    }
}
