import LocalTime
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Scheduler

/// The release of deferred devices, and the judgement of everything that is released.
@Suite(.timeLimit(.minutes(5))) struct DeferralReleaseTests {
    private func timing(_ due: Timestamp, cause: DeferralCause = .quietHours) -> DeviceTiming {
        DeviceTiming(deferral: cause, begins: due.milliseconds)
    }

    @Test func aDueDeferralIsReleasedAsTheFirstAttempt() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(3)
        let wait = EntryReleaser.jobRestMaximum / 2
        let due = fixture.time.now + wait
        try await fixture.withScheduler {
            #expect(await fixture.isAtRest())
            try await fixture.order(ids, after: wait, attempt: 0, timing: timing(due))
            fixture.defer(ids, until: due)
            #expect(await fixture.sleeps(until: due))
            #expect(try await fixture.released().isEmpty)
            fixture.time.advance(by: wait)
            #expect(await fixture.index.hasCompleted(1))
        }
        let chunk = try #require(try await fixture.chunks().first)
        #expect(chunk.attempt == 0 && chunk.timing == timing(due) && chunk.deviceCount == 3)
        // Until a sender claims them they are deferred.
        #expect(fixture.states() == [.deferred: 3])
    }

    @Test func devicesOfDifferentTimingsShareNoChunk() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(4)
        let now = fixture.time.now
        let timings = [timing(now), timing(now + .seconds(60)), DeviceTiming(begins: now.milliseconds), .ofTask]
        for (id, timing) in zip(ids, timings) {
            try await fixture.order([id], after: .zero, attempt: 0, timing: timing)
        }
        try await fixture.withScheduler { #expect(await fixture.index.hasCompleted(4)) }
        let chunks = try await fixture.chunks()
        #expect(Set(chunks.map(\.timing)) == Set(timings))
        #expect(chunks.allSatisfy { $0.deviceCount == 1 })
    }

    /// Goal: a deferral that may not be sent yet stays a deferral, and its life begins with its new time. Method: of
    /// three devices one is sent, one waits for another cause, and one for another time.
    @Test func aDeferralThatIsJudgedAgainStaysDeferred() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(3)
        let start = fixture.time.now
        let later = Timestamp(milliseconds: (start + .seconds(3_600)).milliseconds / 60_000 * 60_000)
        fixture.defer(ids, until: start)
        fixture.judges.set(.wait(.cap, until: later + .milliseconds(-500)), of: [ids[1].index])
        fixture.judges.set(.wait(.rate, until: start + .milliseconds(1_200)), of: [ids[2].index])
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero, attempt: 0, timing: timing(start))
            #expect(await fixture.index.hasCompleted(1))
            #expect(try await fixture.released() == [ids[0].index])
            #expect(fixture.states() == [.deferred: 3])
            let soon = Timestamp(milliseconds: (start.milliseconds + 1_200 + 999) / 1_000 * 1_000)
            let quiet = DeferralSummary.Part(devices: 1, next: start)
            #expect(
                fixture.deferrals() == [
                    .quietHours: quiet, .cap: .init(devices: 1, next: later), .rate: .init(devices: 1, next: soon),
                ])
            fixture.judges.set(.send, of: ids.map(\.index))
            while fixture.time.now < soon {
                #expect(await fixture.isAtRest())
                fixture.time.advance(by: .seconds(1))
            }
            #expect(await fixture.index.hasCompleted(2))
            #expect(try await fixture.chunks().last?.timing == timing(soon, cause: .rate))
            #expect(try await fixture.chunks().last?.attempt == 0)
        }
    }

    /// Goal: a device that changes its zone while it waits is judged by the new one. Method: it waits for the end of
    /// quiet hours in UTC, and is in New York by then.
    @Test func aDeviceIsJudgedByTheZoneThatItHasNow() async throws {
        let fixture = try SchedulerFixture(judges: TimedJudges(metrics: Metrics()))
        let ids = try await fixture.begin(1) {
            $0.quietHours = QuietHours(start: 22 * 60, end: 7 * 60, timeZone: "UTC")
        }
        // The clock starts at midnight in UTC.
        let (start, due) = (fixture.time.now, fixture.time.now + .seconds(7 * 3_600))
        fixture.defer(ids, until: due)
        let later = start + .seconds(12 * 3_600)
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .seconds(7 * 3_600), attempt: 0, timing: timing(due))
            #expect(await fixture.index.hasAdded(1))
            let changes = DeviceChanges(timeZone: "America/New_York")
            #expect(try await fixture.registry.store.change(ids[0], changes: changes, in: fixture.app))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(7 * 3_600))
            #expect(await fixture.index.hasCompleted(1))
            #expect(try await fixture.released().isEmpty)
            #expect(fixture.deferrals() == [.quietHours: DeferralSummary.Part(devices: 1, next: later)])
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(5 * 3_600))
            #expect(await fixture.index.hasCompleted(2))
            #expect(try await fixture.released() == [ids[0].index])
        }
    }

    /// A retry that may not be sent yet stays a retry of the same attempt: its badge and its cap are counted.
    @Test func aRetryThatIsJudgedAgainStaysWaiting() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(1)
        fixture.wait(ids)
        let due = Timestamp(milliseconds: (fixture.time.now.milliseconds / 60_000 + 1) * 60_000)
        fixture.judges.set(.wait(.quietHours, until: due), of: ids.map(\.index))
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.index.hasCompleted(1))
            #expect(try await fixture.released().isEmpty)
            #expect(fixture.states() == [.waiting: 1] && fixture.deferrals().isEmpty)
            fixture.judges.set(.send, of: ids.map(\.index))
            while fixture.time.now < due {
                #expect(await fixture.isAtRest())
                fixture.time.advance(by: EntryReleaser.restMaximum)
            }
            #expect(await fixture.index.hasCompleted(2))
        }
        let chunk = try #require(try await fixture.chunks().first)
        #expect(chunk.attempt == 1 && chunk.timing == DeviceTiming(begins: due.milliseconds))
    }

    @Test func aDeferredDeviceThatMustNotBeSentEnds() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(3)
        fixture.defer(ids, until: fixture.time.now)
        fixture.judges.set(.suppress(reason: "local_time_passed"), of: [ids[0].index])
        #expect(try await fixture.registry.store.remove(ids[1], in: fixture.app))
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero, attempt: 0, timing: timing(fixture.time.now))
            #expect(await fixture.index.hasCompleted(1))
        }
        #expect(try await fixture.released() == [ids[2].index])
        #expect(fixture.states() == [.suppressed: 2, .deferred: 1])
        let results = try await fixture.results()
        #expect(results.contains(#""reason":"local_time_passed""#) && results.contains(#""reason":"removed""#))
    }

    /// Goal: deferrals of a provider in an outage, of a lost segment and of devices that cannot be ended yet are
    /// deferrals when they come again. Method: each is put off once; the entries of the index are read.
    @Test func whatIsPutOffKeepsItsKind() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(2)
        let timing = timing(fixture.time.now)
        // Removed, and not deferred yet: its release holds it.
        #expect(try await fixture.registry.store.remove(ids[1], in: fixture.app))
        try await fixture.withScheduler {
            try await fixture.order(Array(ids[1...]), after: .zero, attempt: 0, timing: timing)
            #expect(await fixture.index.hasCompleted(1))
            #expect(await fixture.sleeps(until: fixture.time.now + RetryRelease.heldPause))
            #expect(fixture.states() == [.targeted: 2])
            fixture.defer(Array(ids[1...]), until: fixture.time.now)
            fixture.time.advance(by: RetryRelease.heldPause)
            #expect(await fixture.index.hasCompleted(2))
        }
        #expect(fixture.states() == [.targeted: 1, .suppressed: 1])
        let order = RetryOrder(
            task: fixture.task, segment: SegmentID(fixture.app, number: ids[0].index.segment), provider: .apns,
            attempt: 0, due: 0, timing: timing, devices: [RetryOrder.Device(offset: 1, tag: 2, isSilent: true)])
        let group = try #require(RetryGroup.groups(of: [order]).first)
        #expect(group.orders(due: Timestamp(milliseconds: 5)) == [order.with(devices: order.devices, due: 5)])
    }
}
