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

/// Tasks that wait for a good moment of their user, with a bus and stores in memory.
@Suite(.timeLimit(.minutes(5))) struct WindowedTaskTests {
    private static let hour = Duration.seconds(3_600)

    private func task(
        _ number: UInt64, in fixture: ScheduleFixture, after pause: Duration = .zero, length: Duration = hour
    ) throws -> PushTask {
        var task = fixture.task(number, after: .zero)
        let opens = fixture.time.now + pause
        let window = DeliveryWindow(
            from: opens, to: opens + length, user: try Samples.user("ada"), method: .contextAware)
        task.window = window
        task.sendAt = window.latestRelease
        task.target.list = .entries([.alias(window.user)])
        return task
    }

    private func user(_ fixture: ScheduleFixture) throws -> UserKey {
        UserKey(try Samples.user("ada"), of: fixture.app)
    }

    /// What ingest sends when the user's app reports a moment.
    private func hasten(_ task: PushTask, in fixture: ScheduleFixture) async throws {
        var early = task
        early.sendAt = fixture.time.now
        try await fixture.post(early)
    }

    @Test func withoutAMomentTheEndOfTheWindowDecides() async throws {
        let fixture = try ScheduleFixture()
        let task = try task(1, in: fixture)
        #expect(task.begins == task.created + .seconds(3_300) && task.deadline == task.created + Self.hour)
        try await fixture.withScheduler {
            try await fixture.post(task)
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
            #expect(try await fixture.released().isEmpty)
            fixture.time.advance(by: .seconds(3_300))
            #expect(await fixture.index.hasCompleted(2))
        }
        #expect(try await fixture.released() == [task])
        #expect(fixture.moments.begin(until: fixture.time.now, of: try user(fixture)) == [])
    }

    /// Goal: a moment releases the task once, and the end of its window not again.
    @Test func aMomentReleasesTheTaskThatWaits() async throws {
        let fixture = try ScheduleFixture()
        let task = try task(1, in: fixture)
        let moment = task.created + .seconds(600)
        try await fixture.withScheduler {
            try await fixture.post(task)
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(600))
            #expect(fixture.moments.begin(until: moment + .seconds(60), of: try user(fixture)) == [task.id])
            try await hasten(task, in: fixture)
            // The entry of the window's end, then the released one with the same entry.
            #expect(await fixture.index.hasCompleted(3))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: Self.hour)
            #expect(await fixture.isAtRest())
        }
        let released = try await fixture.released()
        #expect(released.map(\.id) == [task.id] && released[0].sendAt == moment)
        #expect(released[0].deadline == task.created + Self.hour)
        #expect(fixture.depth() == 0)
        #expect(fixture.archive.scheduled(of: fixture.app, after: nil, limit: 9).isEmpty)
        #expect(fixture.moments.begin(until: moment, of: try user(fixture)) == [])
    }

    /// Goal: a moment that lasts releases tasks that come later: at once, or when their windows open.
    @Test func aMomentThatLastsReleasesLaterTasks() async throws {
        let fixture = try ScheduleFixture()
        let start = fixture.time.now
        let (now, soon, late) = (
            try task(1, in: fixture), try task(2, in: fixture, after: .seconds(30)),
            try task(3, in: fixture, after: .seconds(61))
        )
        #expect(fixture.moments.begin(until: start + .seconds(60), of: try user(fixture)) == [])
        try await fixture.withScheduler {
            for task in [now, soon, late] { try await fixture.post(task) }
            try await waitUntil { try await fixture.released().map(\.id) == [now.id] }
            #expect(await fixture.index.hasAdded(3))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(30))
            try await waitUntil { try await fixture.released().count > 1 }
            #expect(await fixture.isAtRest())
        }
        #expect(try await fixture.released().map(\.id) == [now.id, soon.id])
        #expect(try await fixture.released().map(\.sendAt) == [start, start + .seconds(30)])
    }

    /// Goal: a scheduler that dies at any step while it takes in a moment neither loses the task nor sends it after its
    /// window. Method: each step is cut, and the record is taken in again.
    @Test func takingInAMomentMayDieAtAnyStep() async throws {
        for cut in 0...12 {
            let fixture = try ScheduleFixture()
            let task = try task(1, in: fixture)
            var early = task
            early.sendAt = task.created + .seconds(60)
            let (archive, index) = (
                CutArchive(fixture.archive, scissors: fixture.scissors),
                CutIndex(fixture.index, scissors: fixture.scissors)
            )
            let schedule = fixture.schedule(archive: archive, index: index)
            _ = try await schedule.enter(task, at: fixture.time.now)
            fixture.time.advance(by: .seconds(60))
            fixture.scissors.cut(after: cut)
            let isCut = await (try? schedule.enter(early, at: fixture.time.now)) == nil
            fixture.scissors.cut(after: nil)
            if isCut { _ = try await schedule.enter(early, at: fixture.time.now) }
            #expect(try await fixture.archive.task(task.id) == early, "\(cut)")
            #expect(fixture.depth() == 1, "\(cut)")
            try await fixture.withScheduler { try await waitUntil { fixture.depth() == 0 } }
            #expect(try await fixture.released() == [early], "\(cut)")
        }
    }

    /// Goal: a record that is delivered again does not make a task wait that a moment released, also when its content is
    /// forgotten; content that is only lost is restored.
    @Test func aTaskThatIsDoneDoesNotWaitAgain() async throws {
        let fixture = try ScheduleFixture()
        let (done, lost) = (try task(1, in: fixture), try task(2, in: fixture))
        _ = fixture.archive.fix(report: [1], of: done.id)
        let environment = TestEnvironment(time: fixture.time, random: SystemRandomSource()).forWorkers
        let context = HandlerContext(
            time: fixture.time, random: environment.random,
            producer: try await fixture.bus.makeProducer(ProducerOptions()), log: environment.log, attempt: 1)
        _ = try await fixture.parts(environment).intake.handle(
            [done, lost].map { task in
                ReceivedMessage(
                    message: ScheduleRecord.task(task),
                    origin: IncomingMessage(
                        partition: PartitionID(channel: Topics.schedules.channel.name, number: 0), offset: 0,
                        key: Topics.key(task.id), value: [], headers: [], timestamp: fixture.time.now))
            }, context: context)
        #expect(fixture.archive.content(of: done.id) == nil && fixture.archive.content(of: lost.id) != nil)
        #expect(fixture.depth() == 1)
        #expect(fixture.moments.begin(until: fixture.time.now, of: try user(fixture)) == [lost.id])
    }

    @Test func aCancelledTaskWaitsForNoMoment() async throws {
        let fixture = try ScheduleFixture()
        let task = try task(1, in: fixture)
        try await fixture.withScheduler {
            try await fixture.post(task)
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
            try await fixture.withdraw(task)
            #expect(await fixture.index.hasCompleted(3))
        }
        #expect(try await fixture.released() == [task.withdrawn])
        #expect(fixture.moments.begin(until: fixture.time.now, of: try user(fixture)) == [])
    }
}
