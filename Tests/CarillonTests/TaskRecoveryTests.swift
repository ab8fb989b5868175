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

@testable import Carillon

/// The recovery of open tasks from the topics, with a bus and stores in memory.
@Suite(.timeLimit(.minutes(5))) struct TaskRecoveryTests {
    @Test func aTaskThatWasBegunEnds() async throws {
        let harness = try RecoveryHarness()
        let task = harness.task(1)
        try await harness.post(task)
        try await harness.name(task, offsets: 0..<10)
        try await harness.report(task, offsets: 0..<4, as: .delivered)
        try await harness.report(task, offsets: 4..<5, as: .failed)
        let summary = try await harness.recover()
        #expect(summary.ended == 1 && summary.proven == 5 && summary.unknown == 5 && summary.resolvedAgain == 0)
        let progress = try #require(harness.ledger.progress(of: task.id))
        #expect(progress.closed != nil && progress.plan.isFast && progress.plan.deadline == task.deadline)
        #expect(progress.counts[.delivered] == 4 && progress.counts[.failed] == 1 && progress.counts[.unknown] == 5)
        #expect(harness.archive.content(of: task.id) == TaskMessage.task(task).encoded())
        #expect(harness.agenda.take(upTo: 9, for: .seconds(1)) == [task.id])
        #expect(try await harness.results(of: task, .unknown).map(\.offset).sorted() == Array(5..<10))
        #expect(try await harness.results(of: task, .unknown).allSatisfy { $0.reason == "ledger lost" })
        #expect(try await harness.count(Topics.tasks.channel) == 1)
    }

    /// Goal: tasks that wait come back with their lists; those that were released or withdrawn do not wait again.
    /// Method: records as ingest and the scheduler write them, before any compaction; read twice, as after an
    /// interruption.
    @Test func tasksThatWaitComeBack() async throws {
        let harness = try RecoveryHarness()
        var tasks = (1...3).map { harness.task(UInt64($0)) }
        for place in tasks.indices { tasks[place].sendAt = harness.time.now + .seconds(86_400) }
        tasks[0].target.list = .parts(count: 1, entries: 1)
        let part = TaskPart(task: tasks[0].id, number: 0, entries: [])
        let records = [
            Topics.schedules.message(
                .part(part, begins: tasks[0].begins), key: Topics.key(tasks[0].id, part: 0))
        ]
        try await harness.send(
            records + tasks.map { Topics.schedules.message(.task($0), key: Topics.key($0.id)) } + [
                Topics.schedules.message(.released, key: Topics.key(tasks[1].id)),
                Topics.schedules.message(.task(tasks[2].withdrawn), key: Topics.key(tasks[2].id)),
            ])
        for _ in 0..<2 {
            let summary = try await harness.recover()
            #expect(summary.scheduled == 2 && summary.unreadable == 0)
            #expect(harness.archive.content(of: tasks[0].id) == TaskMessage.task(tasks[0]).encoded())
            #expect(harness.archive.part(0, of: tasks[0].id) == TaskMessage.part(part).encoded())
            #expect(harness.archive.content(of: tasks[1].id) == nil)
            let listed = harness.archive.scheduled(of: harness.app, after: nil, limit: 9)
            #expect(Set(listed.map(\.task)) == [tasks[0].id, tasks[2].id])
            let entries = RetryShard.tasks.flatMap { shard in
                let lease = harness.index.lease(upTo: 9, for: .zero, in: shard)
                harness.index.giveBack(lease, in: shard)
                return lease.entries
            }
            #expect(entries == [RetryEntry(withdrawn: tasks[2])])
            #expect(RetryShard.tasks.reduce(0) { $0 + harness.index.outlook(of: $1).depth } == 2)
        }
    }

    /// Goal: of several tasks of a key that wait, the last created counts after the store was lost, and the others are
    /// to be cancelled; one that was withdrawn or released is none of them. Method: the earlier one is read last.
    @Test func theLastTaskOfAKeyCounts() async throws {
        let harness = try RecoveryHarness()
        let key = try ReplacementKey("order-4711", of: harness.app)
        var tasks: [PushTask] = []
        for number in 1...4 {
            harness.time.advance(by: .seconds(1))
            tasks.append(harness.task(UInt64(number)))
            tasks[number - 1].sendAt = harness.time.now + .seconds(86_400)
            tasks[number - 1].replaces = key
        }
        try await harness.send(
            tasks.reversed().map { Topics.schedules.message(.task($0), key: Topics.key($0.id)) } + [
                Topics.schedules.message(.released, key: Topics.key(tasks[3].id)),
                Topics.schedules.message(.task(tasks[2].withdrawn), key: Topics.key(tasks[2].id)),
            ])
        for _ in 0..<2 {
            _ = try await harness.recover()
            let pointer = harness.replacements.pointer(of: key)
            #expect(pointer?.current == tasks[1].id)
            #expect(pointer?.cancelling == [tasks[0].id])
        }
        let due = harness.replacements.take(upTo: 9, for: .seconds(1))
        #expect(due.map(\.swap) == [TaskSwap(tasks[1].id, key: key)])
    }

    /// Goal: of two tasks of a key that were not begun when the store was lost, the last created is resolved, and the
    /// other one is closed without devices.
    @Test func aReplacedTaskIsNotResolvedAgain() async throws {
        let harness = try RecoveryHarness()
        var tasks: [PushTask] = []
        for number in 1...2 {
            harness.time.advance(by: .seconds(1))
            tasks.append(harness.task(UInt64(number)))
            tasks[number - 1].replaces = try ReplacementKey("order-4711", of: harness.app)
        }
        for task in tasks.reversed() { try await harness.post(task) }
        let summary = try await harness.recover()
        #expect(summary.resolvedAgain == 2)
        var sent: [PushTask] = []
        try await harness.bus.scan(Topics.tasks.channel) { message in
            if case .task(let task) = try TaskMessage(decoding: message.value) { sent.append(task) }
            return true
        }
        let again = sent.dropFirst(2).sorted { $0.id.low < $1.id.low }
        #expect(again == [tasks[0].withdrawn, tasks[1]])
    }

    /// Goal: devices that waited for a time of their own are in the report of a task of which others were sent; a task
    /// of which all waited is resolved again. Method: orders as the resolver sends them, of which one device was
    /// released.
    @Test func devicesThatWaitedAreNotForgotten() async throws {
        let harness = try RecoveryHarness()
        let (begun, waiting) = (harness.task(1), harness.task(2))
        for task in [begun, waiting] {
            try await harness.post(task)
            try await harness.putOff(task, offsets: 20..<30)
        }
        try await harness.name(begun, offsets: 0..<3)
        try await harness.name(begun, offsets: 20..<21)
        try await harness.report(begun, offsets: 20..<21, as: .delivered)
        let summary = try await harness.recover()
        #expect(summary.ended == 1 && summary.proven == 1 && summary.unknown == 12 && summary.resolvedAgain == 1)
        let progress = try #require(harness.ledger.progress(of: begun.id))
        #expect(progress.closed != nil && progress.counts.targeted == 13)
        let unknown = try await harness.results(of: begun, .unknown).map(\.offset).sorted()
        #expect(unknown == Array(0..<3) + Array(21..<30))
        #expect(harness.ledger.progress(of: waiting.id) == nil)
    }

    @Test func aTaskThatWasNotBegunComesAgainOnce() async throws {
        let harness = try RecoveryHarness()
        let (fresh, planned) = (harness.task(1), harness.task(2))
        for task in [fresh, planned] { try await harness.post(task) }
        // A repeat of the task's request.
        try await harness.post(fresh)
        let segments = [3, 5].map { SegmentNumber(rawValue: $0) }
        try await harness.send([
            Topics.segments.message(
                SegmentJob(
                    task: planned.id, app: harness.app, lane: .bulk, job: 0, work: .segments(segments, stride: 1)),
                key: nil, lane: .bulk)
        ])
        let summary = try await harness.recover()
        #expect(summary == RecoverySummary(resolvedAgain: 2, messages: summary.messages))
        #expect(try await harness.count(Topics.tasks.channel) == 5)
        #expect(harness.ledger.progress(of: fresh.id) == nil && harness.ledger.progress(of: planned.id) == nil)
        #expect(harness.archive.content(of: fresh.id) != nil)
        #expect(harness.archive.decide(segments: [], of: planned.id) == segments)
    }

    @Test(arguments: [Topics.tasks.channel.name, Topics.lists.channel.name])
    func partsOfListsComeBackBeforeTheirTask(channel: String) async throws {
        let harness = try RecoveryHarness()
        let topic = channel == Topics.lists.channel.name ? Topics.lists : Topics.tasks
        let part = TaskMessage.part(TaskPart(task: harness.task(1).id, number: 0, entries: []))
        try await harness.send([topic.message(part, key: Array(harness.task(1).id.key.utf8))])
        try await harness.post(harness.task(1))
        _ = try await harness.recover()
        #expect(harness.archive.part(0, of: harness.task(1).id) == part.encoded())
    }

    @Test func whatIsReportedOrThereIsLeftAlone() async throws {
        let harness = try RecoveryHarness()
        let (reported, living, givenUp) = (harness.task(1), harness.task(2), harness.task(3))
        for task in [reported, living, givenUp] {
            try await harness.post(task)
            if task.id != givenUp.id { try await harness.name(task, offsets: 0..<3) }
        }
        try await harness.close(reported, created: harness.time.now)
        let plan = Samples.plan(harness.app, until: living.deadline, jobs: 4)
        _ = try harness.ledger.plan(living.id, as: plan)
        try await harness.bury(givenUp)
        let summary = try await harness.recover()
        #expect(summary == RecoverySummary(reports: 1, counted: 1, messages: summary.messages))
        #expect(harness.ledger.progress(of: living.id)?.plan == plan)
        #expect(harness.ledger.progress(of: reported.id) == nil && harness.ledger.progress(of: givenUp.id) == nil)
        #expect(try await harness.count(Topics.tasks.channel) == 3)
        #expect(try await harness.count(Topics.results.channel) == 0)
    }

    /// Goal: a request repeated after the loss finds its task settled. Only ids derived from requests can repeat.
    @Test func aTaskThatMayBeAskedForAgainIsFoundDone() async throws {
        let harness = try RecoveryHarness()
        let derived = harness.task(0x8000_0000_0000_0001, isDerived: true)
        let old = harness.task(0x8000_0000_0000_0002, isDerived: true)
        try await harness.post(derived)
        try await harness.close(derived, created: harness.time.now)
        try await harness.close(old, created: harness.time.now + .seconds(-86_400))
        _ = try await harness.recover()
        #expect(harness.archive.isReported(derived.id))
        // With its creation time: a repeat would write its own.
        #expect(harness.archive.content(of: derived.id) == TaskMessage.task(derived).encoded())
        #expect(harness.archive.content(of: old.id) == nil)
    }

    /// Goal: after a loss the statistics equal the reports on the topic, also those that are not restored, and however
    /// often they are read. Method: a report that is there twice, one closed 20 days ago, and one that the store has.
    @Test func theStatisticsEqualTheReports() async throws {
        let harness = try RecoveryHarness()
        let (now, day) = (harness.time.now, Duration.seconds(86_400))
        let ages = [0, 1, 5, 9, 20].map { now + (.zero - day * $0) }
        for (number, closed) in ages.enumerated() {
            let task = harness.task(UInt64(number))
            for _ in 0..<2 { try await harness.close(task, created: closed, closed: closed) }
        }
        var reports: [TaskReport] = []
        try await harness.bus.scan(Topics.reports.channel) { message in
            reports.append(try TaskReport(decoding: message.value))
            return true
        }
        let known = CountedTask(try #require(reports.first))
        #expect(harness.statistics.fold(known))
        #expect(try await harness.recover().counted == 4)
        #expect(try await harness.recover(entriesMaximum: 2).counted == 0)
        harness.time.advance(by: day * 12)
        #expect(try await harness.recover().counted == 0, "as if the first rebuild had not been the last")
        let selection = StatisticsSelection(
            of: harness.app, by: .total, interval: .day, from: ages[4] + (.zero - day), to: now + day,
            rowsMaximum: 100)
        let rows = harness.statistics.read(selection).rows
        #expect(Set(rows.map(\.time)) == Set(ages.map { StatisticsInterval.day.start(of: $0) }))
        #expect(rows.reduce(0) { $0 + $1.sums.tasks } == 5)
        #expect(rows.reduce(0) { $0 + $1.sums.outcomes[.delivered] } == 15)
    }

    /// Goal: after a loss receipts count as before, under the labels of their task, and however often they are read.
    /// Method: a task that is on `tasks`, one of which only the report is left, and one whose receipts have expired.
    @Test func receiptsAreCountedAgain() async throws {
        let harness = try RecoveryHarness()
        var (open, closed) = (harness.task(1), harness.task(2))
        open.labels["campaign"] = "spring"
        closed.labels["campaign"] = "summer"
        try await harness.post(open)
        try await harness.close(closed, created: harness.time.now)
        let today = ReceiptProof.day(of: harness.time.now)
        for (task, day) in [(open.id, today), (closed.id, today), (harness.task(3).id, today - 40)] {
            let batch = ReceiptBatch(
                task: task, app: harness.app, day: day, time: harness.time.now,
                receipts: (UInt32(0)..<3).map { number in
                    DeviceReceipt(
                        device: DeviceID(index: DeviceIndex(rawValue: number), tag: 1), on: .android, kind: .opened,
                        action: "", time: harness.time.now)
                })
            for _ in 0..<2 { try await harness.send([Topics.receipts.message(batch, key: batch.key)]) }
        }
        #expect(try await harness.recover().receipts == 6)
        #expect(try await harness.recover(entriesMaximum: 1).receipts == 0)
        let labels = harness.receipts.sums(of: harness.app, by: .label(name: "campaign"), days: [today])[today]
        #expect(labels?.mapValues { $0[.opened] } == [Array("spring".utf8): 3, Array("summer".utf8): 3])
        #expect(harness.receipts.counts(of: open.id, days: today...today)[.opened] == 3)
        #expect(harness.receipts.sums(of: harness.app, by: .total, days: [today - 40]) == [:])
    }

    /// Goal: the report of a task closed before the loss is readable for the rest of its seven days, and the task is
    /// known as settled. Method: a task closed just now, one eight days ago, and one whose report the store still has.
    @Test func reportsOfClosedTasksComeBack() async throws {
        let harness = try RecoveryHarness()
        let (recent, old, living) = (harness.task(1), harness.task(2), harness.task(3))
        try await harness.close(recent, created: harness.time.now)
        try await harness.close(old, created: harness.time.now, closed: harness.time.now + .seconds(-8 * 86_400))
        try await harness.close(living, created: harness.time.now)
        _ = harness.archive.fix(report: [1], of: living.id)
        harness.archive.advance(reportOf: living.id, to: .published)
        let summary = try await harness.recover()
        #expect(summary.reports == 1)
        let report = try TaskReport(decoding: try #require(harness.archive.report(of: recent.id)))
        #expect(report.task == recent.id && report[.delivered] == 3)
        #expect(harness.archive.reportStage(of: recent.id) == .settled)
        #expect(harness.archive.report(of: old.id) == nil)
        // Its endpoint may not have received the report yet.
        #expect(
            harness.archive.report(of: living.id) == [1] && harness.archive.reportStage(of: living.id) == .published)
        #expect(try await harness.recover().reports == 0)
    }

    /// Goal: a recovery interrupted anywhere and run again has the same result. Method: the bus interrupts it at each
    /// message that it reads or sends, in turn.
    @Test func oneThatWasCutOffIsRunAgain() async throws {
        for step in 0... {
            let harness = try RecoveryHarness()
            let (begun, fresh) = (harness.task(1), harness.task(2))
            for task in [begun, fresh] { try await harness.post(task) }
            try await harness.name(begun, offsets: 0..<6)
            try await harness.report(begun, offsets: 0..<2, as: .delivered)
            let isThrough: Bool
            do {
                _ = try await harness.recover(bus: CutBus(bus: harness.bus, after: step))
                isThrough = true
            } catch {
                isThrough = false
            }
            _ = try await harness.recover()
            let progress = try #require(harness.ledger.progress(of: begun.id))
            #expect(progress.closed != nil && progress.counts[.delivered] == 2 && progress.counts[.unknown] == 4)
            #expect(harness.ledger.progress(of: fresh.id) == nil)
            #expect(try Set(await harness.results(of: begun, .unknown).map(\.offset)) == Set(2..<6))
            #expect(harness.agenda.take(upTo: 9, for: .seconds(1)) == [begun.id])
            if isThrough { break }
        }
    }

    /// Goal: more tasks than fit in memory are recovered in slices, with the same result.
    @Test func manyTasksAreRecoveredInShares() async throws {
        let harness = try RecoveryHarness()
        let tasks = (0..<40).map { harness.task(UInt64($0)) }
        for task in tasks {
            try await harness.post(task)
            if task.id.low < 30 { try await harness.name(task, offsets: 0..<2) }
        }
        let summary = try await harness.recover(entriesMaximum: 8)
        #expect(summary.ended == 30 && summary.unknown == 60 && summary.resolvedAgain == 10)
        #expect(tasks.count { harness.ledger.progress(of: $0.id)?.closed != nil } == 30)
        #expect(try await harness.count(Topics.tasks.channel) == 50)
        await #expect(throws: RecoveryBook.CapacityError.self) { _ = try await harness.recover(entriesMaximum: 0) }
    }

    @Test func aTaskOfWhichOnlyDevicesAreLeftEndsToo() async throws {
        let harness = try RecoveryHarness()
        try await harness.name(harness.task(1), offsets: 0..<2)
        try await harness.send([OutgoingMessage(channel: Topics.audience.channel(.fast), key: nil, value: [9])])
        let summary = try await harness.recover()
        #expect(summary.ended == 1 && summary.unknown == 2 && summary.unreadable == 1)
        #expect(harness.ledger.progress(of: harness.task(1).id)?.closed != nil)
    }
}
