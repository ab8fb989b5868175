import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Topics

@testable import Carillon

/// Topics as written by services, and stores that have lost everything.
struct RecoveryHarness {
    let time = ManualTimeSource()
    let bus: any Bus
    let ledger: MemoryLedger
    let archive = MemoryTaskArchive()
    let agenda: MemoryTaskAgenda
    let index: MemoryRetryIndex
    let replacements: MemoryTaskReplacements
    let statistics: MemoryTaskStatistics
    let receipts: MemoryTaskReceipts
    let app: AppID

    init() throws {
        bus = MemoryBus(time: time, random: SystemRandomSource())
        ledger = MemoryLedger(time: time)
        agenda = MemoryTaskAgenda(time: time)
        index = MemoryRetryIndex(time: time)
        replacements = MemoryTaskReplacements(time: time)
        statistics = MemoryTaskStatistics(time: time)
        receipts = MemoryTaskReceipts(time: time)
        app = try AppID("news")
    }

    func recover(
        bus: (any Bus)? = nil, entriesMaximum: Int = RecoveryBook.entriesMaximum
    ) async throws -> RecoverySummary {
        let environment = TestEnvironment(time: time, random: SystemRandomSource()).forWorkers
        let stores = RecoveryStores(
            ledger: ledger, archive: archive, agenda: agenda, index: index,
            moments: MemoryUserMoments(time: time), opens: MemoryUserOpens(), replacements: replacements,
            statistics: statistics, receipts: receipts, traces: MemoryTaskTraces(time: time), doubt: NoDoubt())
        return try await TaskRecovery(
            bus: bus ?? self.bus, stores: stores, environment: environment, entriesMaximum: entriesMaximum
        ).run { _ in }
    }

    func task(_ number: UInt64, isDerived: Bool = false) -> PushTask {
        var task = PushTask(
            id: TaskID(high: isDerived ? 0x8000 : 0x4000, low: number), app: app, created: time.now)
        task.options.timeToLive = .seconds(3_600)
        task.content.message = PushMessage()
        task.content.platforms = [.ios]
        return task
    }

    func send(_ messages: [OutgoingMessage]) async throws {
        let producer = try await bus.makeProducer(ProducerOptions())
        try await producer.send(messages)
        await producer.close()
    }

    func post(_ task: PushTask) async throws {
        try await send([Topics.tasks.message(.task(task), key: Array(task.id.key.utf8))])
    }

    /// Puts devices in dispatch, like a resolver.
    func name(_ task: PushTask, offsets: Range<UInt16>) async throws {
        var split = AudienceSplit(task: task.id, app: app, lane: .fast, attempt: 0)
        for offset in offsets {
            let device = Device(tag: UInt32(offset) + 1, token: try Samples.token(Int(offset)), created: 1)
            split.append(offset, of: SegmentNumber(rawValue: 2), record: device.packed[...], isSilent: false)
        }
        try await send(split.chunks().map { Topics.audience.message($0, key: nil, lane: .fast) })
    }

    func report(_ task: PushTask, offsets: Range<UInt16>, as state: DeliveryState) async throws {
        let results = offsets.map { offset in
            let index = DeviceIndex(segment: SegmentNumber(rawValue: 2), offset: offset)
            return DeviceResult(
                device: DeviceID(index: index, tag: UInt32(offset) + 1), provider: .apns, state: state, attempt: 0,
                status: 200, reason: "")
        }
        let batches = ResultBatch.batches(results, of: task.id, app: app, at: time.now)
        try await send(batches.map { Topics.results.message($0, key: $0.key) })
    }

    /// Defers devices, like a resolver.
    func putOff(_ task: PushTask, offsets: Range<UInt16>) async throws {
        let due = (time.now + .seconds(600)).milliseconds
        let order = RetryOrder(
            task: task.id, segment: SegmentID(app, number: SegmentNumber(rawValue: 2)), provider: .apns, attempt: 0,
            due: due, timing: DeviceTiming(deferral: .quietHours, begins: due),
            devices: offsets.map { RetryOrder.Device(offset: $0, tag: UInt32($0) + 1, isSilent: false) })
        try await send([Topics.retries.message(order, key: nil, lane: .bulk)])
    }

    func close(_ task: PushTask, created: Timestamp, closed: Timestamp? = nil) async throws {
        var details = ReportDetails()
        details.labels = task.labels
        let report = TaskReport(
            task: task.id, app: app, dialect: .native, created: created, closed: closed ?? time.now, isCancelled: false,
            lane: .fast, details: details, count: { $0 == .delivered ? 3 : 0 })
        try await send([Topics.reports.message(report, key: task.id.bytes)])
    }

    func bury(_ task: PushTask) async throws {
        let message = IncomingMessage(
            partition: PartitionID(channel: Topics.tasks.channel.name, number: 0), offset: 0, key: nil,
            value: TaskMessage.task(task).encoded(), headers: [], timestamp: time.now)
        let letter = DeadLetter(message, group: "targeting-resolver", reason: .exhausted, detail: "no", attempts: 5)
        try await send([letter.outgoing])
    }

    func results(of task: PushTask, _ state: DeliveryState) async throws -> [DeviceResult] {
        var results: [DeviceResult] = []
        try await bus.scan(Topics.results.channel) { message in
            let batch = try ResultBatch(decoding: message.value)
            if batch.task == task.id { results += batch.results.filter { $0.state == state } }
            return true
        }
        return results
    }

    func count(_ channel: Channel) async throws -> Int {
        var count = 0
        try await bus.scan(channel) { _ in
            count += 1
            return true
        }
        return count
    }
}

/// A bus that fails its user after a number of messages read or sent.
struct CutBus: Bus {
    struct CutError: Error {}

    private struct Producer: BusProducer {
        let producer: any BusProducer
        let left: Monitor<Int>

        func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
            guard left.change({ CutBus.step(&$0) }) else { throw BusError(.refused, message: "cut off") }
            return try await producer.send(messages)
        }

        func close() async { await producer.close() }
    }

    private let bus: any Bus
    private let left: Monitor<Int>

    init(bus: any Bus, after steps: Int) {
        self.bus = bus
        left = Monitor(steps)
    }

    private static func step(_ left: inout Int) -> Bool {
        left -= 1
        return left >= 0
    }

    func makeProducer(_ options: ProducerOptions) async throws(BusError) -> any BusProducer {
        Producer(producer: try await bus.makeProducer(options), left: left)
    }

    func makeConsumer(_ options: ConsumerOptions) async throws(BusError) -> any BusConsumer {
        try await bus.makeConsumer(options)
    }

    func scan(_ channel: Channel, visit: (IncomingMessage) async throws -> Bool) async throws {
        try await bus.scan(channel) { message in
            guard left.change({ CutBus.step(&$0) }) else { throw CutError() }
            return try await visit(message)
        }
    }

    func readiness() async -> Health.Readiness { await bus.readiness() }
    func close() async {}
}

private struct NoDoubt: StoreDoubt {
    func currentEpoch() -> LedgerEpoch { .first }
    func removeWork() {}
    func trust(in epoch: LedgerEpoch) -> Bool { true }
}
