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

/// Tasks that are to be sent later, with a bus and stores in memory.
@Suite(.timeLimit(.minutes(5))) struct ScheduledTaskTests {
    /// Goal: each task is released at its time and not before, and nothing of it is left. Method: three tasks are
    /// posted out of sequence while the releasers sleep; the clock is advanced from one to the next.
    @Test func tasksAreReleasedAtTheirTimes() async throws {
        let fixture = try ScheduleFixture()
        let tasks = [3, 1, 2].map { fixture.task(UInt64($0), after: .seconds($0)) }
        try await fixture.withScheduler {
            #expect(await fixture.isAtRest())
            for task in tasks { try await fixture.post(task) }
            #expect(await fixture.index.hasAdded(3))
            for seconds in 1...3 {
                let moment = tasks[1].created + .seconds(seconds)
                #expect(await fixture.sleeps(until: moment))
                #expect(try await fixture.released().count == seconds - 1)
                fixture.time.advance(by: .seconds(1))
                #expect(await fixture.index.hasCompleted(2 * seconds))
                #expect(try await fixture.released().last?.id.low == UInt64(seconds))
            }
        }
        #expect(try await fixture.released().map(\.id) == [1, 2, 3].map { TaskID(high: 0x4000, low: $0) })
        #expect(try await fixture.released().allSatisfy { $0.sendAt == $0.begins && !$0.isWithdrawn })
        #expect(fixture.archive.scheduled(of: fixture.app, after: nil, limit: 9).isEmpty)
        #expect(fixture.depth() == 0)
    }

    /// Goal: a long list that waits for 30 days is whole when it is released, beside 20,000 newer tasks; one that was
    /// cancelled on the first day is released then, without its list.
    @Test func aLongListWaitsForAMonth() async throws {
        let fixture = try ScheduleFixture()
        let month = Duration.seconds(30 * 86_400)
        var (kept, cancelled) = (fixture.task(1, after: month), fixture.task(2, after: month))
        let count = 625
        let entries = try (0..<400).map { TargetEntry.alias(try Samples.user("user-\($0)")) }
        kept.target.list = .parts(count: count, entries: count * entries.count)
        cancelled.target.list = kept.target.list
        try await fixture.withScheduler {
            for task in [kept, cancelled] {
                let parts = (0..<count).map { TaskPart(task: task.id, number: $0, entries: entries) }
                try await fixture.post(task, parts: parts)
            }
            for number in 0..<20_000 {
                let newer = PushTask(
                    id: TaskID(high: 9, low: UInt64(number)), app: fixture.app, created: fixture.time.now)
                fixture.archive.keep([1], of: newer.id, entry: newer.entry)
            }
            #expect(await fixture.index.hasAdded(2))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(86_400))
            try await fixture.withdraw(cancelled)
            #expect(await fixture.index.hasCompleted(3))
            #expect(try await fixture.released() == [cancelled.withdrawn])
            #expect(try await fixture.parts(on: Topics.lists.channel).isEmpty)
            let listed = fixture.archive.scheduled(of: fixture.app, after: nil, limit: 9)
            #expect(listed.map(\.task) == [kept.id])
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: month - .seconds(86_400))
            #expect(await fixture.index.hasCompleted(5))
        }
        #expect(try await fixture.released().last == kept)
        let parts = try await fixture.parts(on: Topics.lists.channel)
        #expect(parts.map(\.number) == Array(0..<count))
        #expect(parts.allSatisfy { $0.task == kept.id && $0.entries == entries })
    }

    @Test func contentsAreReleasedWithTheirParts() async throws {
        let fixture = try ScheduleFixture()
        var task = fixture.task(1, after: .zero)
        task.hasListedContents = true
        task.content.message = nil
        task.target.list = .parts(count: 1, entries: 2)
        let part = TaskPart(
            task: task.id, number: 0, entries: try ["a", "b"].map { .alias(try Samples.user($0)) },
            contents: [Samples.content("one"), Samples.content("two")], choices: [1, 0])
        try await fixture.post(task, parts: [part])
        try await fixture.takeIn(1)
        try await releaseAll(fixture)
        #expect(try await fixture.released() == [task])
        #expect(try await fixture.parts(on: Topics.tasks.channel) == [part])
    }

    /// With the embedded bus the archive has the parts, and `schedules` keeps nothing.
    @Test func withoutALogOnlyTheTaskIsSent() async throws {
        let fixture = try ScheduleFixture()
        var task = fixture.task(1, after: .zero)
        task.target.list = .parts(count: 2, entries: 1_500)
        try await fixture.post(task, parts: (0..<2).map { TaskPart(task: task.id, number: $0, entries: []) })
        try await fixture.takeIn(1)
        try await releaseAll(fixture, hasLog: false)
        #expect(try await fixture.released() == [task])
        #expect(try await fixture.parts(on: Topics.lists.channel).isEmpty)
        #expect(fixture.archive.part(1, of: task.id) != nil)
        #expect(try await fixture.tombstones().isEmpty)
        #expect(fixture.depth() == 0)
    }

    /// Goal: a scheduler that dies at any step of a release leaves a task that the next one releases, the same byte for
    /// byte, and no record behind. Method: a cut before and after every change, for a task that waits, one that is
    /// withdrawn, and one with parts.
    @Test func aReleaseMayDieAtAnyStep() async throws {
        var steps = 0
        while true {
            let fixture = try ScheduleFixture()
            var listed = fixture.task(3, after: .zero)
            listed.target.list = .parts(count: 2, entries: 1_500)
            let tasks = [fixture.task(1, after: .zero), fixture.task(2, after: .zero), listed]
            for task in tasks {
                let parts = (0..<task.target.list.messageCount).map {
                    TaskPart(task: task.id, number: $0, entries: [])
                }
                try await fixture.post(task, parts: parts)
            }
            try await fixture.withdraw(tasks[1])
            try await fixture.takeIn(4)
            fixture.scissors.cut(after: steps)
            try await releaseAll(fixture)
            let wasCut = fixture.scissors.hasCut
            fixture.scissors.cut(after: nil)
            fixture.time.advance(by: SchedulerFixture.lease)
            try await releaseAll(fixture)
            let released = try await fixture.released()
            #expect(Set(released.map(\.id)) == Set(tasks.map(\.id)), "after \(steps) steps")
            #expect(released.allSatisfy { [tasks[0], tasks[1].withdrawn, listed].contains($0) })
            #expect(Set(try await fixture.parts(on: Topics.lists.channel).map(\.number)) == [0, 1])
            #expect(fixture.archive.scheduled(of: fixture.app, after: nil, limit: 9).isEmpty)
            let keys = tasks.map { Topics.key($0.id) } + (0..<2).map { Topics.key(listed.id, part: $0) }
            #expect(try await fixture.tombstones() == Set(keys), "after \(steps) steps")
            #expect(fixture.depth() == 0)
            guard wasCut else { break }
            steps += 1
        }
        #expect(steps > 10)
    }

    private func releaseAll(_ fixture: ScheduleFixture, hasLog: Bool = true) async throws {
        let release = try await fixture.release(hasLog: hasLog)
        for shard in RetryShard.tasks {
            let lease = fixture.index.lease(upTo: 99, for: SchedulerFixture.lease, in: shard)
            do {
                _ = try await release.perform(lease, shard: shard)
            } catch {
                guard fixture.scissors.hasCut else { throw error }
                return
            }
        }
    }

    /// Goal: a record that is redelivered after its task was closed and forgotten schedules nothing; one whose archived
    /// content was lost before its time is scheduled from the record. Method: neither has content.
    @Test func aFinishedTaskIsNotScheduledAgain() async throws {
        let fixture = try ScheduleFixture()
        let (done, lost) = (fixture.task(1, after: .zero), fixture.task(2, after: .seconds(7_200)))
        for task in [done, lost] {
            try await fixture.post(task)
            fixture.archive.withdraw(task.id)
        }
        fixture.time.advance(by: TaskArchiveBounds.forgettingAge)
        try await fixture.withScheduler {
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
        }
        #expect(fixture.archive.content(of: lost.id) != nil)
        #expect(fixture.archive.content(of: done.id) == nil)
        #expect(fixture.depth() == 1)
        #expect(try await fixture.released().isEmpty)
    }

    /// A rebuild enters tasks in the index whose tombstones it has not read yet.
    @Test func nothingIsReleasedWhileTheStoreIsRebuilt() async throws {
        let fixture = try ScheduleFixture()
        fixture.isReady.withLock { $0 = false }
        try await fixture.post(fixture.task(1, after: .zero))
        try await fixture.withScheduler {
            // Before this, all releasers may rest because none has looked at the task yet.
            #expect(await fixture.index.hasLeased(1))
            #expect(await fixture.isAtRest())
            let early = try await fixture.released()
            #expect(early.isEmpty)
            fixture.isReady.withLock { $0 = true }
            fixture.time.advance(by: .seconds(10))
            #expect(await fixture.index.hasCompleted(2))
        }
        #expect(try await fixture.released().count == 1)
    }

    /// Goal: of two schedulers, one of which stops while tasks wait, each task is released once. Method: 1,000 tasks
    /// for the same instant.
    @Test func twoSchedulersReleaseEachTaskOnce() async throws {
        let fixture = try ScheduleFixture()
        let count = 1_000
        try await fixture.withScheduler {
            try await fixture.withScheduler {
                for number in 0..<count { try await fixture.post(fixture.task(UInt64(number), after: .seconds(60))) }
                #expect(await fixture.index.hasAdded(count))
            }
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(60))
            #expect(await fixture.index.hasCompleted(2 * count))
        }
        let released = try await fixture.released()
        #expect(released.count == count && Set(released.map(\.id)).count == count)
    }

    /// The wall clock decides: set forward, it releases early tasks; set back, it delays them.
    @Test func theClockMayJump() async throws {
        let fixture = try ScheduleFixture()
        let start = fixture.time.now
        try await fixture.withScheduler {
            try await fixture.post(fixture.task(1, after: .seconds(3_600)))
            #expect(await fixture.index.hasAdded(1))
            #expect(await fixture.isAtRest())
            fixture.time.setWallClock(to: start + .seconds(-86_400))
            fixture.time.advance(by: .seconds(3_600))
            #expect(await fixture.isAtRest())
            let early = try await fixture.released()
            #expect(early.isEmpty)
            fixture.time.setWallClock(to: start + .seconds(3_600))
            fixture.time.advance(by: .seconds(10))
            #expect(await fixture.index.hasCompleted(2))
        }
        #expect(try await fixture.released().count == 1)
    }

    /// Goal: webhooks are told of each accepted message that waits, once it is stored, and not of its cancel.
    @Test func aTaskWithAWindowIsTold() async throws {
        let fixture = try ScheduleFixture()
        var message = fixture.task(1, after: .seconds(300))
        message.window = DeliveryWindow(
            from: message.created, to: message.created + .seconds(600), user: try Samples.user("user-1"),
            method: .contextAware)
        try await fixture.withScheduler {
            try await fixture.post(fixture.task(2, after: .seconds(300)))
            try await fixture.post(message)
            try await fixture.withdraw(message)
            #expect(await fixture.index.hasCompleted(1))
        }
        var told: [MessageAcceptance] = []
        try await fixture.bus.scan(Topics.statuses.channel) { record in
            told.append(try MessageAcceptance(decoding: record.value))
            return true
        }
        #expect(told == [MessageAcceptance(task: message.id, app: message.app)])
    }
}
