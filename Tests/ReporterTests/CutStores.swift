import Bus
import PushModel
import ServiceKit
import Store
import TestSupport

extension Scissors {
    /// Counts a step before and after a change, so that either can be the crash point.
    func around<Result>(_ change: () async throws(StoreError) -> Result) async throws(StoreError) -> Result {
        try pass()
        let result = try await change()
        try pass()
        return result
    }

    func pass() throws(StoreError) {
        if isCut() { throw StoreError(.unavailable, message: "cut off") }
    }
}

struct CutProducer: BusProducer {
    private let producer: any BusProducer
    private let scissors: Scissors

    init(_ producer: any BusProducer, scissors: Scissors) {
        self.producer = producer
        self.scissors = scissors
    }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        do {
            try scissors.pass()
            let positions = try await producer.send(messages)
            try scissors.pass()
            return positions
        } catch {
            throw BusError(.unavailable, message: "\(error)")
        }
    }

    func close() async {
        await producer.close()
    }
}

struct CutArchive: TaskArchive {
    private let archive: any TaskArchive
    private let scissors: Scissors

    init(_ archive: any TaskArchive, scissors: Scissors) {
        self.archive = archive
        self.scissors = scissors
    }

    func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try await archive.keep(content, of: task, entry: entry)
    }

    func content(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.content(of: task)
    }

    func keep(_ part: [UInt8], number: Int, of task: TaskID) async throws(StoreError) {
        try await archive.keep(part, number: number, of: task)
    }

    func part(_ number: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.part(number, of: task)
    }

    func decide(segments: [SegmentNumber], of task: TaskID) async throws(StoreError) -> [SegmentNumber] {
        try await archive.decide(segments: segments, of: task)
    }

    func decide(devices: [UInt8], job: Int, of task: TaskID) async throws(StoreError) -> [UInt8] {
        try await archive.decide(devices: devices, job: job, of: task)
    }

    func devices(job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.devices(job: job, of: task)
    }

    func dropDevices(job: Int, of task: TaskID) async throws(StoreError) {
        try await archive.dropDevices(job: job, of: task)
    }

    func giveUp(_ task: TaskID, reason: String) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.giveUp(task, reason: reason)
        }
    }

    func reasonGivenUp(_ task: TaskID) async throws(StoreError) -> String? {
        try await archive.reasonGivenUp(task)
    }

    func fix(report: [UInt8], of task: TaskID) async throws(StoreError) -> [UInt8] {
        try await scissors.around { () async throws(StoreError) in
            try await archive.fix(report: report, of: task)
        }
    }

    func report(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await archive.report(of: task)
    }

    func advance(reportOf task: TaskID, to stage: ReportStage) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.advance(reportOf: task, to: stage)
        }
    }

    func reportStage(of task: TaskID) async throws(StoreError) -> ReportStage {
        try await archive.reportStage(of: task)
    }

    func isReported(_ task: TaskID) async throws(StoreError) -> Bool {
        try await archive.isReported(task)
    }

    func withdraw(_ task: TaskID) async throws(StoreError) {
        try await archive.withdraw(task)
    }

    func forget(_ task: TaskID, after: Duration) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await archive.forget(task, after: after)
        }
    }

    func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID] {
        try await archive.tasks(of: app, before: before, limit: limit)
    }
}

struct CutTraces: TaskTraces {
    private let traces: any TaskTraces
    private let scissors: Scissors

    init(_ traces: any TaskTraces, scissors: Scissors) {
        self.traces = traces
        self.scissors = scissors
    }

    func keep(_ trace: TaskTrace, of task: TaskID, for retention: Duration) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await traces.keep(trace, of: task, for: retention)
        }
    }

    func trace(of task: TaskID, created: Timestamp?) async throws(StoreError) -> TaskTrace? {
        try await traces.trace(of: task, created: created)
    }
}

struct CutAgenda: TaskAgenda {
    private let agenda: any TaskAgenda
    private let scissors: Scissors

    init(_ agenda: any TaskAgenda, scissors: Scissors) {
        self.agenda = agenda
        self.scissors = scissors
    }

    func enter(_ task: TaskID, due: Timestamp) async throws(StoreError) {
        try await agenda.enter(task, due: due)
    }

    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID] {
        try await agenda.take(upTo: count, for: lease)
    }

    func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await agenda.postpone(task, until: due)
        }
    }

    func finish(_ task: TaskID) async throws(StoreError) {
        try await scissors.around { () async throws(StoreError) in
            try await agenda.finish(task)
        }
    }

    func count() async throws(StoreError) -> Int {
        try await agenda.count()
    }
}
