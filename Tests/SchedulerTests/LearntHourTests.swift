import Bus
import MemoryBus
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

/// Tasks that wait for the hour at which their user opens pushes, with a bus and stores in memory. The clock starts at
/// midnight, UTC.
@Suite(.timeLimit(.minutes(5))) struct LearntHourTests {
    private static let hour = Duration.seconds(3_600)

    private func task(_ number: UInt64, in fixture: ScheduleFixture, length: Duration = hour * 12) throws -> PushTask {
        var task = fixture.task(number, after: .zero)
        let window = DeliveryWindow(
            from: fixture.time.now, to: fixture.time.now + length, user: try Samples.user("ada"),
            method: .contextAware)
        task.window = window
        task.sendAt = window.latestRelease
        task.target.list = .entries([.alias(window.user)])
        return task
    }

    /// The user opens pushes of any campaign at eight.
    private func learn(in fixture: ScheduleFixture) throws {
        _ = fixture.opens.update(UserKey(try Samples.user("ada"), of: fixture.app)) { record in
            var next = OpenRecord(zone: "UTC")
            for _ in 0..<5 { next.noteOpen(of: CampaignDigest(of: "daily"), hour: 8, in: "UTC") }
            record = next
        }
    }

    /// From eight to nine.
    private func isLearnt(_ time: Timestamp, since start: Timestamp) -> Bool {
        (start + Self.hour * 8..<start + Self.hour * 9).contains(time)
    }

    private func planned(_ task: PushTask, in fixture: ScheduleFixture) async throws -> PushTask {
        try await waitUntil { try await fixture.archive.task(task.id)?.begins != task.begins }
        return try #require(try await fixture.archive.task(task.id))
    }

    @Test func theTaskIsReleasedAtTheLearntHour() async throws {
        let fixture = try ScheduleFixture()
        try learn(in: fixture)
        let task = try task(1, in: fixture)
        var time = Timestamp(milliseconds: 0)
        try await fixture.withScheduler {
            try await fixture.post(task)
            time = try await planned(task, in: fixture).begins
            #expect(isLearnt(time, since: task.created))
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
            #expect(fixture.depth() == 1)
            fixture.time.advance(by: time - fixture.time.now)
            try await waitUntil { fixture.depth() == 0 }
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: Self.hour * 12)
            #expect(await fixture.isAtRest())
        }
        let released = try await fixture.released()
        #expect(released.map(\.id) == [task.id] && released[0].sendAt == time)
        #expect(released[0].deadline == time + Self.hour)
        #expect(fixture.metrics.counter(.schedulerLearntHours).value == 1)
        #expect(fixture.moments.begin(until: time, of: UserKey(try Samples.user("ada"), of: fixture.app)) == [])
    }

    /// The window of eight hours is over before nine, and its latest release before eight.
    @Test func anHourOutsideTheWindowIsNotWaitedFor() async throws {
        let fixture = try ScheduleFixture()
        try learn(in: fixture)
        let task = try task(1, in: fixture, length: Self.hour * 8)
        try await fixture.withScheduler {
            try await fixture.post(task)
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
        }
        #expect(try await fixture.archive.task(task.id) == task)
    }

    /// Goal: a moment before the learnt hour releases the task once, and the hour not again.
    @Test func aMomentBeforeTheLearntHourWins() async throws {
        let fixture = try ScheduleFixture()
        try learn(in: fixture)
        let task = try task(1, in: fixture)
        let user = UserKey(try Samples.user("ada"), of: fixture.app)
        try await fixture.withScheduler {
            try await fixture.post(task)
            let planned = try await planned(task, in: fixture)
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: Self.hour)
            #expect(fixture.moments.begin(until: fixture.time.now + .seconds(60), of: user) == [task.id])
            var early = planned
            early.sendAt = fixture.time.now
            try await fixture.post(early)
            try await waitUntil { fixture.depth() == 0 }
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: Self.hour * 12)
            #expect(await fixture.isAtRest())
        }
        #expect(try await fixture.released().map(\.sendAt) == [task.created + Self.hour])
        // During a moment nothing is looked up.
        let during = try self.task(2, in: fixture)
        #expect(fixture.moments.begin(until: fixture.time.now + .seconds(60), of: user) == [])
        let entry = try await fixture.schedule(archive: fixture.archive, index: fixture.index).enter(
            during, at: fixture.time.now)
        #expect(entry.due == fixture.time.now)
    }

    /// Goal: a record that is delivered again keeps the time that was chosen, also when another one would be chosen now;
    /// a scheduler may die at any step.
    @Test func theTimeStays() async throws {
        for cut in 0...8 {
            let fixture = try ScheduleFixture()
            try learn(in: fixture)
            let task = try task(1, in: fixture)
            let schedule = fixture.schedule(
                archive: CutArchive(fixture.archive, scissors: fixture.scissors),
                index: CutIndex(fixture.index, scissors: fixture.scissors))
            fixture.scissors.cut(after: cut)
            let first = try? await schedule.enter(task, at: fixture.time.now)
            fixture.scissors.cut(after: nil)
            let second = try await schedule.enter(task, at: fixture.time.now)
            #expect(isLearnt(second.due, since: task.created) && (first == nil || first == second), "\(cut)")
            // The hour runs, then is over: what would be chosen is later.
            for pause in [Self.hour * 8, Self.hour] {
                fixture.time.advance(by: pause)
                #expect(try await schedule.enter(task, at: fixture.time.now) == second, "\(cut)")
            }
            fixture.opens.forget(UserKey(try Samples.user("ada"), of: fixture.app))
            #expect(try await schedule.enter(task, at: fixture.time.now) == second, "\(cut)")
            #expect(fixture.depth() == 1, "\(cut)")
            // A process that dies before it counts the task has planned it.
            let count = fixture.metrics.counter(.schedulerLearntHours).value
            #expect(first == nil ? count <= 1 : count == 1, "\(cut)")
        }
    }
}
