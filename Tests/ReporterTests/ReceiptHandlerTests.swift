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

@testable import Reporter

/// Receipts are counted once, whatever is delivered again.
@Suite struct ReceiptHandlerTests {
    private let fixture: ReporterFixture
    private let receipts: MemoryTaskReceipts
    private let day: UInt16
    private let task = TaskID(high: 7, low: 7)

    init() throws {
        fixture = try ReporterFixture()
        receipts = MemoryTaskReceipts(time: fixture.time)
        day = ReceiptProof.day(of: fixture.time.now)
    }

    private struct CutReceipts: TaskReceipts {
        let receipts: MemoryTaskReceipts
        let scissors: Scissors

        func count(_ marks: [ReceiptMark], of task: ReceiptTask) async throws(StoreError) -> ReceiptCounts {
            try await scissors.around { () async throws(StoreError) in receipts.count(marks, of: task) }
        }

        func counts(of task: TaskID, days: ClosedRange<UInt16>) async throws(StoreError) -> ReceiptCounts {
            receipts.counts(of: task, days: days)
        }

        func places(of task: TaskID, day: UInt16) async throws(StoreError) -> [StatisticsPlace]? {
            receipts.places(of: task, day: day)
        }

        func sums(
            of app: AppID, by dimension: StatisticsDimension, values: [String]?, days: [UInt16]
        ) async throws(StoreError) -> [UInt16: [[UInt8]: ReceiptCounts]] {
            receipts.sums(of: app, by: dimension, values: values, days: days)
        }
    }

    private func batch(_ devices: Range<UInt32>, _ kind: ReceiptKind = .opened, of task: TaskID? = nil) -> ReceiptBatch
    {
        ReceiptBatch(
            task: task ?? self.task, app: fixture.app, day: day, time: fixture.time.now,
            receipts: devices.map { number in
                DeviceReceipt(
                    device: DeviceID(index: DeviceIndex(rawValue: number), tag: 1), on: .ios, kind: kind,
                    action: kind == .action ? "a\(number)" : "", time: fixture.time.now)
            })
    }

    private func counts(of task: TaskID? = nil) -> ReceiptCounts {
        receipts.counts(of: task ?? self.task, days: day...day)
    }

    /// Runs the handler as a new process would.
    private func handle(_ batches: [ReceiptBatch]) async throws {
        let receipts = CutReceipts(receipts: receipts, scissors: fixture.scissors)
        let handler = ReceiptHandler(
            receipts,
            places: ReceiptPlaces(receipts: receipts, archive: fixture.archive, traces: fixture.traces),
            states: fixture.recorder(), learner: fixture.learner(), metrics: fixture.metrics)
        let messages = batches.map { batch in
            ReceivedMessage(
                message: batch,
                origin: IncomingMessage(
                    partition: PartitionID(channel: "receipts", number: 0), offset: 0, key: nil,
                    value: batch.encoded(), headers: [], timestamp: fixture.time.now))
        }
        let context = HandlerContext(
            time: fixture.time, random: SeededRandomSource(seed: 1),
            producer: try await fixture.bus.makeProducer(ProducerOptions()), log: fixture.environment.log, attempt: 1)
        #expect(try await handler.handle(messages, context: context).isEmpty)
    }

    @Test func aDeliveryIsCountedByTaskAndKind() async throws {
        let other = TaskID(high: 7, low: 8)
        try await handle([batch(0..<3), batch(2..<5), batch(0..<2, .action), batch(0..<1, of: other)])
        #expect(counts()[.opened] == 5 && counts()[.action] == 2 && counts(of: other)[.opened] == 1)
        #expect(fixture.metrics.counter(.reporterReceiptsCounted, labels: ["kind": "opened"]).value == 6)
        #expect(fixture.metrics.counter(.reporterReceiptsRepeated).value == 1)
    }

    @Test func theOldestReceiptsDecideTheDelay() async throws {
        let old = batch(0..<1)
        fixture.time.advance(by: .seconds(90))
        let recent = batch(1..<2)
        fixture.time.advance(by: .seconds(10))
        try await handle([recent, old])
        #expect(fixture.metrics.gauge(.reporterReceiptDelay).value == 100_000)
    }

    @Test func aRedeliveredMessageCountsNothing() async throws {
        for _ in 0..<3 { try await handle([batch(0..<500), batch(500..<700)]) }
        #expect(counts().total == 700)
        #expect(fixture.metrics.counter(.reporterReceiptsRepeated).value == 1_400)
    }

    /// Goal: a process that dies between the store's change and the acknowledgement counts nothing twice. Method: the
    /// handler is cut off at every step, and the delivery comes again.
    @Test func aCrashAtAnyStepCountsOnce() async throws {
        for step in 0..<4 {
            let task = TaskID(high: 8, low: UInt64(step))
            let batches = [batch(0..<500, of: task), batch(500..<700, of: task)]
            fixture.scissors.cut(after: step)
            await #expect(throws: StoreError.self) { try await handle(batches) }
            #expect(fixture.scissors.hasCut)
            fixture.scissors.cut(after: nil)
            try await handle(batches)
            #expect(counts(of: task)[.opened] == 700)
        }
    }

    private func sums(_ dimension: StatisticsDimension) -> [String: Int] {
        let sums = receipts.sums(of: fixture.app, by: dimension, days: [day])[day] ?? [:]
        return Dictionary(
            uniqueKeysWithValues: sums.map { (String(decoding: $0.key, as: UTF8.self), $0.value[.opened]) })
    }

    /// Goal: receipts count under the values of their task, wherever the store still has it. Method: an open task, one
    /// of which the report is left, one of which the trace is left, and one that is forgotten.
    @Test func receiptsCountUnderTheValuesOfTheirTask() async throws {
        let (open, reported, traced, forgotten) = (task(1), task(2), task(3), task(4))
        fixture.archive.keep(TaskMessage.task(open).encoded(), of: open.id, entry: open.entry)
        let report = TaskReport(
            task: reported.id, app: fixture.app, dialect: .richie, created: reported.created, closed: fixture.time.now,
            isCancelled: false, lane: .bulk, details: ReportDetails(of: reported), count: { _ in 0 })
        _ = fixture.archive.fix(report: report.encoded(), of: reported.id)
        let plan = TaskPlan(
            app: fixture.app, jobs: 1, isFast: true, deadline: traced.deadline, policy: .atLeastOnce)
        let trace = TaskTrace(
            TaskOutcomes(plan: plan, devices: []), dialect: "native", created: traced.created, closed: fixture.time.now,
            isCancelled: false, report: ReportDetails(of: traced).packed(created: traced.created))
        fixture.traces.keep(trace, of: traced.id, for: TaskTraceBounds.retention)

        for (number, task) in [open, reported, traced, forgotten].enumerated() {
            try await handle([batch(0..<UInt32(number + 1), of: task.id)])
        }
        #expect(sums(.total) == ["": 10] && sums(.platform) == ["ios": 10])
        #expect(sums(.label(name: "campaign")) == ["spring": 6] && sums(.topic) == ["news": 6])
        #expect(sums(.dialect) == ["native": 4, "richie": 2])

        // Until the last receipt, when the task is long forgotten.
        try await fixture.archive.forget(open.id, after: .zero)
        try await handle([batch(10..<12, of: open.id)])
        #expect(sums(.label(name: "campaign")) == ["spring": 8])
    }

    private func task(_ number: UInt64) -> PushTask {
        var task = PushTask(id: TaskID(high: 9, low: number), app: fixture.app, created: fixture.time.now)
        task.target.audience = (try? TopicName("news")).map { .topic($0) }
        task.labels["campaign"] = "spring"
        return task
    }
}
