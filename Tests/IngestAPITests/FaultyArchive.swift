import MemoryStore
import PushModel
import Store
import Synchronization

/// An archive in memory that fails on demand.
final class FaultyArchive: TaskArchive {
    private let archive = MemoryTaskArchive()
    private let fault = Mutex<(error: StoreError?, remaining: Int)>((nil, 0))
    private let batches = Mutex<(kept: [Int], seen: Set<TaskID>)>(([], []))

    /// `count` calls, or tasks that are kept, succeed before the fault.
    func fail(with error: StoreError?, after count: Int = 0) {
        fault.withLock { $0 = (error, count) }
    }

    /// The sizes of the batches that were kept.
    var batchesKept: [Int] { batches.withLock { $0.kept } }

    /// Number of tasks of all batches, whether they were kept or not.
    var tasksSeen: Int { batches.withLock { $0.seen.count } }

    private func pass() throws(StoreError) {
        let error = fault.withLock { fault -> StoreError? in
            guard let error = fault.error else { return nil }
            guard fault.remaining == 0 else {
                fault.remaining -= 1
                return nil
            }
            return error
        }
        if let error { throw error }
    }

    func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try pass()
        archive.keep(content, of: task, entry: entry)
    }

    func keep(_ tasks: [ArchivedTask]) async throws(StoreError) {
        batches.withLock { $0.seen.formUnion(tasks.map(\.id)) }
        for task in tasks {
            try pass()
            archive.keep(task.content, of: task.id, entry: task.entry)
        }
        batches.withLock { $0.kept.append(tasks.count) }
    }

    func content(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try pass()
        return archive.content(of: task)
    }

    func schedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try pass()
        archive.schedule(content, of: task, entry: entry)
    }

    func reschedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) async throws(StoreError) {
        try pass()
        archive.reschedule(content, of: task, entry: entry)
    }

    func unschedule(_ tasks: [TaskID], of app: AppID) async throws(StoreError) {
        try pass()
        archive.unschedule(tasks, of: app)
    }

    func scheduled(of app: AppID, after: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID] {
        try pass()
        return archive.scheduled(of: app, after: after, limit: limit)
    }

    func keep(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) async throws(StoreError) {
        try pass()
        archive.keep(part, number: number, of: task, for: life)
    }

    func keepContents(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) async throws(StoreError) {
        try pass()
        archive.keepContents(part, number: number, of: task, for: life)
    }

    func extendContents(of task: TaskID, for life: Duration) async throws(StoreError) {
        try pass()
        archive.extendContents(of: task, for: life)
    }

    func part(_ number: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try pass()
        return archive.part(number, of: task)
    }

    func decide(segments: [SegmentNumber], of task: TaskID) async throws(StoreError) -> [SegmentNumber] {
        try pass()
        return archive.decide(segments: segments, of: task)
    }

    func decide(devices: [UInt8], job: Int, of task: TaskID) async throws(StoreError) -> [UInt8] {
        try pass()
        return archive.decide(devices: devices, job: job, of: task)
    }

    func devices(job: Int, of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try pass()
        return archive.devices(job: job, of: task)
    }

    func dropDevices(job: Int, of task: TaskID) async throws(StoreError) {
        try pass()
        archive.dropDevices(job: job, of: task)
    }

    func giveUp(_ task: TaskID, reason: String) async throws(StoreError) {
        try pass()
        archive.giveUp(task, reason: reason)
    }

    func reasonGivenUp(_ task: TaskID) async throws(StoreError) -> String? {
        try pass()
        return archive.reasonGivenUp(task)
    }

    func fix(report: [UInt8], of task: TaskID) async throws(StoreError) -> [UInt8] {
        try pass()
        return archive.fix(report: report, of: task)
    }

    func report(of task: TaskID) async throws(StoreError) -> [UInt8]? {
        try pass()
        return archive.report(of: task)
    }

    func advance(reportOf task: TaskID, to stage: ReportStage) async throws(StoreError) {
        try pass()
        archive.advance(reportOf: task, to: stage)
    }

    func reportStage(of task: TaskID) async throws(StoreError) -> ReportStage {
        try pass()
        return archive.reportStage(of: task)
    }

    func isReported(_ task: TaskID) async throws(StoreError) -> Bool {
        try pass()
        return archive.isReported(task)
    }

    func withdraw(_ task: TaskID) async throws(StoreError) {
        try pass()
        archive.withdraw(task)
    }

    func forget(
        _ task: TaskID, after: Duration, provenFor proof: Duration
    ) async throws(StoreError) {
        try pass()
        archive.forget(task, after: after, provenFor: proof)
    }

    func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) async throws(StoreError) -> [TaskEntry.ID] {
        try pass()
        return archive.tasks(of: app, before: before, limit: limit)
    }
}
