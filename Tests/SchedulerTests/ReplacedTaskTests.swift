import Bus
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

/// Scheduled tasks with a key.
@Suite(.timeLimit(.minutes(5))) struct ReplacedTaskTests {
    private func keyed(_ fixture: ScheduleFixture, _ number: UInt64, after pause: Duration) throws -> PushTask {
        var task = fixture.task(number, after: pause)
        task.replaces = try ReplacementKey("key-\(number)", of: fixture.app)
        return task
    }

    private func point(_ fixture: ScheduleFixture, at id: TaskID, for task: PushTask) throws {
        let key = try #require(task.replaces)
        let pointer = fixture.replacements.pointer(of: key) ?? ReplacementPointer()
        #expect(fixture.replacements.set(pointer.replaced(by: id, until: task.deadline), of: key))
    }

    /// Goal: at its release a task goes out if it counts, or if the store lost the pointer; one that was replaced is
    /// withdrawn, although its request died before it was cancelled.
    @Test func aReplacedTaskIsReleasedWithoutDevices() async throws {
        let fixture = try ScheduleFixture()
        let tasks = try (1...3).map { try keyed(fixture, $0, after: .seconds(60)) }
        try point(fixture, at: tasks[0].id, for: tasks[0])
        try point(fixture, at: tasks[1].id, for: tasks[1])
        try point(fixture, at: TaskID(high: 0x4000, low: 99), for: tasks[1])
        try await fixture.withScheduler {
            for task in tasks { try await fixture.post(task) }
            #expect(await fixture.index.hasAdded(3))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(60))
            #expect(await fixture.index.hasCompleted(6))
        }
        let released = try await fixture.released().sorted { $0.id.low < $1.id.low }
        #expect(released == [tasks[0], tasks[1].withdrawn, tasks[2]])
    }

    /// Goal: the service finishes what a request left, waits while the store is rebuilt, and counts it.
    @Test func theSweepFinishesASwap() async throws {
        let fixture = try ScheduleFixture()
        let task = try keyed(fixture, 1, after: .seconds(3_600))
        let key = try #require(task.replaces)
        fixture.replacements.stage(TaskMessage.task(task).encoded(), of: task.id, for: .seconds(3_600))
        fixture.replacements.enter(TaskSwap(task.id, key: key), due: fixture.time.now)
        try point(fixture, at: task.id, for: task)
        fixture.isReady.withLock { $0 = false }
        let environment = TestEnvironment(time: fixture.time, random: SystemRandomSource())
        let parts = try await fixture.parts(environment.forWorkers)
        try await withRunning([parts.sweep]) {
            #expect(await fixture.time.hasSleepers(1))
            #expect(fixture.replacements.count == 1)
            fixture.isReady.withLock { $0 = true }
            fixture.time.advance(by: SwapSweep.interval)
            try await waitUntil { fixture.replacements.count == 0 }
        }
        #expect(fixture.archive.content(of: task.id) == TaskMessage.task(task).encoded())
        #expect(try await fixture.records() == [.task(task)])
    }
}
