import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import carillon

/// The recovery of open tasks from the topics, on a bus and stores in memory.
@Suite(.timeLimit(.minutes(2))) struct TaskRecoveryTests {
    @Test func aTaskThatWasBegunEnds() async throws {
        let house = try RecoveryHarness()
        let task = house.task(1)
        try await house.post(task)
        try await house.name(task, 0..<10)
        try await house.report(task, 0..<4, as: .delivered)
        try await house.report(task, 4..<5, as: .failed)
        let summary = try await house.recover()
        #expect(summary.ended == 1 && summary.proven == 5 && summary.unknown == 5 && summary.resolvedAgain == 0)
        let progress = try #require(house.ledger.progress(of: task.id))
        #expect(progress.closed != nil && progress.plan.isFast && progress.plan.deadline == task.deadline)
        #expect(progress.counts[.delivered] == 4 && progress.counts[.failed] == 1 && progress.counts[.unknown] == 5)
        #expect(house.archive.content(of: task.id) == TaskMessage.task(task).encoded())
        #expect(house.agenda.take(upTo: 9, for: .seconds(1)) == [task.id])
        #expect(try await house.results(of: task, .unknown).map(\.offset).sorted() == Array(5..<10))
        #expect(try await house.results(of: task, .unknown).allSatisfy { $0.reason == "ledger lost" })
        #expect(try await house.count(Topics.tasks.channel) == 1)
    }

    @Test func aTaskThatWasNotBegunComesAgainOnce() async throws {
        let house = try RecoveryHarness()
        let (fresh, planned) = (house.task(1), house.task(2))
        for task in [fresh, planned] { try await house.post(task) }
        // A repeat of its request.
        try await house.post(fresh)
        let segments = [3, 5].map { SegmentNumber(rawValue: $0) }
        try await house.send([
            Topics.segments.message(
                SegmentJob(
                    task: planned.id, app: house.app, lane: .bulk, job: 0, work: .segments(segments, stride: 1)),
                key: nil, lane: .bulk)
        ])
        let summary = try await house.recover()
        #expect(summary == RecoverySummary(resolvedAgain: 2, messages: summary.messages))
        #expect(try await house.count(Topics.tasks.channel) == 5)
        #expect(house.ledger.progress(of: fresh.id) == nil && house.ledger.progress(of: planned.id) == nil)
        #expect(house.archive.content(of: fresh.id) != nil)
        #expect(house.archive.decide(segments: [], of: planned.id) == segments)
    }

    @Test(arguments: [Topics.tasks.channel.name, Topics.lists.channel.name])
    func partsOfListsComeBackBeforeTheirTask(channel: String) async throws {
        let house = try RecoveryHarness()
        let topic = channel == Topics.lists.channel.name ? Topics.lists : Topics.tasks
        let part = TaskMessage.part(TaskPart(task: house.task(1).id, number: 0, entries: []))
        try await house.send([topic.message(part, key: Array(house.task(1).id.key.utf8))])
        try await house.post(house.task(1))
        _ = try await house.recover()
        #expect(house.archive.part(0, of: house.task(1).id) == part.encoded())
    }

    @Test func whatIsReportedOrThereIsLeftAlone() async throws {
        let house = try RecoveryHarness()
        let (reported, living, givenUp) = (house.task(1), house.task(2), house.task(3))
        for task in [reported, living, givenUp] {
            try await house.post(task)
            if task.id != givenUp.id { try await house.name(task, 0..<3) }
        }
        try await house.close(reported, created: house.time.now)
        let plan = TaskPlan(
            app: house.app, jobs: 4, isFast: false, deadline: living.deadline, policy: .atLeastOnce)
        _ = try house.ledger.plan(living.id, plan)
        try await house.bury(givenUp)
        let summary = try await house.recover()
        #expect(summary == RecoverySummary(reports: 1, messages: summary.messages))
        #expect(house.ledger.progress(of: living.id)?.plan == plan)
        #expect(house.ledger.progress(of: reported.id) == nil && house.ledger.progress(of: givenUp.id) == nil)
        #expect(try await house.count(Topics.tasks.channel) == 3)
        #expect(try await house.count(Topics.results.channel) == 0)
    }

    /// Goal: whoever repeats a request after the loss finds the task done. Only ids that come from requests can repeat.
    @Test func aTaskThatMayBeAskedForAgainIsFoundDone() async throws {
        let house = try RecoveryHarness()
        let derived = house.task(0x8000_0000_0000_0001, isDerived: true)
        let old = house.task(0x8000_0000_0000_0002, isDerived: true)
        try await house.post(derived)
        try await house.close(derived, created: house.time.now)
        try await house.close(old, created: house.time.now + .seconds(-86_400))
        _ = try await house.recover()
        #expect(house.archive.isReported(derived.id))
        // With when it was created: a repeat would write its own time.
        #expect(house.archive.content(of: derived.id) == TaskMessage.task(derived).encoded())
        #expect(house.archive.content(of: old.id) == nil)
    }

    /// Goal: the report of a task that was closed before the loss can be read for the rest of its seven days, and the task
    /// is known as done. Method: one closed just now, one eight days ago, and one whose report the store still has.
    @Test func reportsOfClosedTasksComeBack() async throws {
        let house = try RecoveryHarness()
        let (recent, old, living) = (house.task(1), house.task(2), house.task(3))
        try await house.close(recent, created: house.time.now)
        try await house.close(old, created: house.time.now, closed: house.time.now + .seconds(-8 * 86_400))
        try await house.close(living, created: house.time.now)
        _ = house.archive.fix(report: [1], of: living.id)
        house.archive.advance(reportOf: living.id, to: .published)
        let summary = try await house.recover()
        #expect(summary.reports == 1)
        let report = try TaskReport(decoding: try #require(house.archive.report(of: recent.id)))
        #expect(report.task == recent.id && report[.delivered] == 3)
        #expect(house.archive.reportStage(of: recent.id) == .settled)
        #expect(house.archive.report(of: old.id) == nil)
        // Its endpoint may still be waited for.
        #expect(house.archive.report(of: living.id) == [1] && house.archive.reportStage(of: living.id) == .published)
        #expect(try await house.recover().reports == 0)
    }

    /// Goal: cut off anywhere and run again, it comes to the same. Method: its bus ends it at each message it
    /// reads or sends, in turn.
    @Test func oneThatWasCutOffIsRunAgain() async throws {
        for step in 0... {
            let house = try RecoveryHarness()
            let (begun, fresh) = (house.task(1), house.task(2))
            for task in [begun, fresh] { try await house.post(task) }
            try await house.name(begun, 0..<6)
            try await house.report(begun, 0..<2, as: .delivered)
            let isThrough: Bool
            do {
                _ = try await house.recover(bus: CutBus(bus: house.bus, after: step))
                isThrough = true
            } catch {
                isThrough = false
            }
            _ = try await house.recover()
            let progress = try #require(house.ledger.progress(of: begun.id))
            #expect(progress.closed != nil && progress.counts[.delivered] == 2 && progress.counts[.unknown] == 4)
            #expect(house.ledger.progress(of: fresh.id) == nil)
            #expect(try Set(await house.results(of: begun, .unknown).map(\.offset)) == Set(2..<6))
            #expect(house.agenda.take(upTo: 9, for: .seconds(1)) == [begun.id])
            if isThrough { break }
        }
    }

    /// Goal: more tasks than can be held are recovered in shares, with the same outcome.
    @Test func manyTasksAreRecoveredInShares() async throws {
        let house = try RecoveryHarness()
        let tasks = (0..<40).map { house.task(UInt64($0)) }
        for task in tasks {
            try await house.post(task)
            if task.id.low < 30 { try await house.name(task, 0..<2) }
        }
        let summary = try await house.recover(entriesMaximum: 8)
        #expect(summary.ended == 30 && summary.unknown == 60 && summary.resolvedAgain == 10)
        #expect(tasks.count { house.ledger.progress(of: $0.id)?.closed != nil } == 30)
        #expect(try await house.count(Topics.tasks.channel) == 50)
        await #expect(throws: RecoveryBook.CapacityError.self) { _ = try await house.recover(entriesMaximum: 0) }
    }

    @Test func aTaskOfWhichOnlyDevicesAreLeftEndsToo() async throws {
        let house = try RecoveryHarness()
        try await house.name(house.task(1), 0..<2)
        try await house.send([OutgoingMessage(channel: Topics.audience.channel(.fast), key: nil, value: [9])])
        let summary = try await house.recover()
        #expect(summary.ended == 1 && summary.unknown == 2 && summary.unreadable == 1)
        #expect(house.ledger.progress(of: house.task(1).id)?.closed != nil)
    }
}
