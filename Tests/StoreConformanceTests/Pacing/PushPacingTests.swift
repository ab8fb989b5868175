import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

@testable import Simulation

/// Slots of rates, on every store.
@Suite(.timeLimit(.minutes(5))) struct PushPacingTests {
    private let task = TaskID(high: .random(in: 1 ... .max), low: 1)

    /// Drops the type of the errors, which `#expect` does not accept.
    private struct Pacing {
        let pacing: any PushPacing

        func reserve(_ count: Int, as name: String, of task: TaskID, at rate: PushRate) async throws -> Timestamp? {
            try await pacing.reserve(count, as: name, of: task, at: rate)
        }

        func take(_ count: Int, at rate: PushRate) async throws -> TakenSlots {
            try await pacing.take(count, at: rate)
        }
    }

    private func withPacing(
        _ kind: StoreKind, body: (_ pacing: Pacing, _ time: ManualTimeSource, _ app: AppID) async throws -> Void
    ) async throws {
        try await kind.withFixture { fixture in
            let pacing: any PushPacing = try fixture.store(
                memory: { MemoryPushPacing(time: $0) }, redis: { RedisPushPacing($0, time: $1) },
                simulated: { SimulatedPushPacing(base: MemoryPushPacing(time: $0), seam: $1) })
            try await body(Pacing(pacing: pacing), fixture.time, fixture.app)
        }
    }

    /// Times of slots are whole milliseconds, cut off.
    private func expect(
        _ slot: Timestamp?, at expected: Timestamp, location: SourceLocation = #_sourceLocation
    ) {
        #expect(slot.map { (-1...1) ~= $0.milliseconds - expected.milliseconds } == true, sourceLocation: location)
    }

    @Test(arguments: StoreKind.allCases)
    func reservationsFollowEachOther(kind: StoreKind) async throws {
        try await withPacing(kind) { pacing, time, app in
            let rate = PushRate(100, of: .app(app))
            let start = time.now
            let other = TaskID(high: task.high, low: 2)
            try await expect(pacing.reserve(500, as: "j0", of: task, at: rate), at: start)
            let second = start + PacingBounds.interval(500, at: rate)
            try await expect(pacing.reserve(1, as: "j0", of: other, at: rate), at: second)
            let third = start + PacingBounds.interval(501, at: rate)
            try await expect(pacing.reserve(9, as: "j1", of: task, at: rate), at: third)
            // Another rate has slots of its own.
            try await expect(pacing.reserve(1, as: "j0", of: task, at: PushRate(1, of: .task(task))), at: start)
            // Unused slots are gone.
            time.advance(by: .seconds(3_600))
            try await expect(pacing.reserve(9, as: "j2", of: task, at: rate), at: time.now)
        }
    }

    /// Goal: the tasks of a group share its slots, and each keeps the distance of its own rate, which the group may have
    /// changed between them.
    @Test(arguments: StoreKind.allCases)
    func aGroupSharesItsSlots(kind: StoreKind) async throws {
        try await withPacing(kind) { pacing, time, app in
            let (old, new) = (PushRate(100, of: .group(app, 7)), PushRate(500, of: .group(app, 7)))
            let start = time.now
            let other = TaskID(high: task.high, low: 2)
            try await expect(pacing.reserve(50, as: "j0", of: task, at: old), at: start)
            let second = start + PacingBounds.interval(50, at: old)
            try await expect(pacing.reserve(50, as: "j0", of: other, at: new), at: second)
            let third = second + PacingBounds.interval(50, at: new)
            try await expect(pacing.reserve(1, as: "j1", of: task, at: old), at: third)
            // Another group, the app, and a group of another app have slots of their own.
            let apart = [
                PushRate.Scope.group(app, 70), .app(app), .group(try AppID("\(app)-7"), 7), .group(try AppID("7"), 7),
            ]
            for scope in apart {
                try await expect(pacing.reserve(1, as: "j0", of: task, at: PushRate(100, of: scope)), at: start)
            }
            #expect(try await pacing.take(100, at: old) == TakenSlots(count: 100, wait: .zero))
            let taken = try await pacing.take(1, at: new)
            #expect(taken.count == 1 && taken.wait > .milliseconds(900))
        }
    }

    /// A step that is repeated after a crash takes no slots from others, and its devices are due when they were.
    @Test(arguments: StoreKind.allCases)
    func aRepeatedReservationIsTheSame(kind: StoreKind) async throws {
        try await withPacing(kind) { pacing, time, app in
            for rate in [PushRate(100, of: .app(app)), PushRate(100, of: .task(task))] {
                let first = try await pacing.reserve(1_000, as: "j0", of: task, at: rate)
                let second = try await pacing.reserve(1_000, as: "j1", of: task, at: rate)
                time.advance(by: .seconds(7))
                #expect(try await pacing.reserve(1_000, as: "j0", of: task, at: rate) == first)
                #expect(try await pacing.reserve(1_000, as: "j1", of: task, at: rate) == second)
                let third = try #require(first) + PacingBounds.interval(2_000, at: rate)
                try await expect(pacing.reserve(1, as: "j2", of: task, at: rate), at: third)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func thereIsAHorizon(kind: StoreKind) async throws {
        try await withPacing(kind) { pacing, time, app in
            let rate = PushRate(1, of: .app(app))
            let week = 7 * 86_400
            let first = try await pacing.reserve(week, as: "j0", of: task, at: rate)
            expect(first, at: time.now)
            // Slots are a little further apart than a second, so the week is over.
            #expect(try await pacing.reserve(1, as: "j1", of: task, at: rate) == nil)
            time.advance(by: .seconds(86_400))
            let second = try #require(first) + PacingBounds.interval(week, at: rate)
            try await expect(pacing.reserve(1, as: "j1", of: task, at: rate), at: second)
            // Otherwise an app would be blocked until the clock reached its old time.
            time.setWallClock(to: time.now + .seconds(-40 * 86_400))
            try await expect(pacing.reserve(1, as: "j2", of: task, at: rate), at: time.now)
        }
    }

    /// Goal: two senders together take no more slots than the rate has, none of them far ahead.
    @Test(arguments: StoreKind.allCases)
    func takenSlotsAreSharedAndNear(kind: StoreKind) async throws {
        try await withPacing(kind) { pacing, time, app in
            let rate = PushRate(200, of: .app(app))
            #expect(try await pacing.take(100, at: rate) == TakenSlots(count: 100, wait: .zero))
            let second = try await pacing.take(2_000, at: rate)
            // 975 slots in five seconds; the first of them was just about to be lost.
            let grace = PacingBounds.grace
            #expect((874...880).contains(second.count))
            #expect(abs((second.wait - PacingBounds.interval(100, at: rate) + grace).wholeMilliseconds) <= 1)
            let refused = try await pacing.take(1, at: rate)
            #expect(refused.count == 0 && abs((refused.wait - .seconds(5)).wholeMilliseconds) <= 6)
            // A reservation is independent of what senders take.
            try await expect(pacing.reserve(1, as: "j0", of: task, at: rate), at: time.now)
            time.advance(by: .seconds(1))
            let third = try await pacing.take(1_000, at: rate)
            #expect((194...199).contains(third.count))
            time.setWallClock(to: time.now + .seconds(-3_600))
            #expect(try await pacing.take(1, at: rate) == TakenSlots(count: 1, wait: .zero))
        }
    }
}
