import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Scheduler

/// Releases of tasks that are sent at a rate.
@Suite(.timeLimit(.minutes(5))) struct PacedReleaseTests {
    private func advance(_ fixture: SchedulerFixture, to due: Timestamp) async {
        while fixture.time.now < due {
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(1))
        }
    }

    /// Goal: a retry goes behind everything that has a slot, once. Method: slots of 100 seconds are reserved before;
    /// then others, which a second reservation of the retry would have to follow.
    @Test func aRetryWaitsForItsSlotOnce() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(2) { $0.rate = 10 }
        let rate = PushRate(10, of: .task(fixture.task))
        let start = fixture.time.now
        _ = fixture.pacing.reserve(1_000, as: "before", of: fixture.task, at: rate)
        fixture.wait(ids)
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.index.hasCompleted(1))
            #expect(try await fixture.released().isEmpty && fixture.states() == [.waiting: 2])
            _ = fixture.pacing.reserve(1_000, as: "after", of: fixture.task, at: rate)
            let slot = start + PacingBounds.interval(1_000, at: rate)
            await advance(fixture, to: slot)
            #expect(await fixture.index.hasCompleted(2))
            let chunk = try #require(try await fixture.chunks().first)
            #expect(chunk.deviceCount == 2 && chunk.attempt == 1 && chunk.timing.isPacedRetry)
            let begins = Timestamp(milliseconds: chunk.timing.begins ?? 0)
            #expect(slot + (.zero - PacingBounds.lead) <= begins && begins < slot)
        }
    }

    /// Goal: devices whose slots passed while no scheduler ran are not released all at once. Method: a deferral that is
    /// a minute late gets other slots; one that is late by a second does not.
    @Test(arguments: [1, 60])
    func lateDevicesGetOtherSlots(seconds: Int64) async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(50) { $0.rate = 10 }
        let due = fixture.time.now
        fixture.defer(ids, until: due, cause: .rate)
        try await fixture.order(
            ids, after: .zero, attempt: 0, timing: DeviceTiming(deferral: .rate, begins: due.milliseconds))
        fixture.time.advance(by: .seconds(seconds))
        try await fixture.withScheduler {
            #expect(await fixture.index.hasCompleted(1))
            let released = try await fixture.released().count
            #expect(seconds == 1 ? released == 50 : (19...21).contains(released))
            #expect(fixture.states() == [.deferred: 50])
        }
    }

    /// A device that waited for the morning waits for its slot as well.
    @Test func quietHoursEndForManyAtOnce() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(60) { $0.rate = 10 }
        let due = fixture.time.now
        fixture.defer(ids, until: due)
        try await fixture.withScheduler {
            try await fixture.order(
                ids, after: .zero, attempt: 0, timing: DeviceTiming(deferral: .quietHours, begins: due.milliseconds))
            #expect(await fixture.index.hasCompleted(1))
            let first = try await fixture.released().count
            #expect((19...21).contains(first) && fixture.deferrals()[.rate]?.devices == 60 - first)
            await advance(fixture, to: due + .seconds(7))
            #expect(await fixture.index.hasCompleted(6))
            #expect(Set(try await fixture.released()).count == 60)
        }
    }
}
