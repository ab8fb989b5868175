import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Reads an app's tasks. A task of another app is reported as unknown.
struct TaskBook: Sendable {
    let archive: any TaskArchive
    let ledger: any Ledger
    let traces: any TaskTraces
    let receipts: any TaskReceipts
    let replacements: any TaskReplacements
    let time: any TimeSource
    let log: Log

    func task(_ id: TaskID, of app: AppID) async throws -> KnownTask {
        guard let task = try await known(id, created: nil), task.app.owner == app else { throw TaskError.unknownTask }
        return task
    }

    /// The ledger may expire before the archived task: an endpoint that refuses the report keeps its task from being
    /// finished.
    func status(of task: KnownTask) async throws(StoreError) -> TaskStatus {
        var status = try await knownStatus(of: task)
        if status.isCancelled { status.successor = try await replacements.successor(of: task.id) }
        status.receipts = try await receipts.counts(of: task.id, days: task.days(at: time.now))
        return status
    }

    private func knownStatus(of task: KnownTask) async throws(StoreError) -> TaskStatus {
        switch task {
        case .traced(let id, let trace): return TaskStatus(id, trace: trace)
        case .reported(let report): return TaskStatus(report)
        case .kept(let task):
            if let progress = try await ledger.progress(of: task.id) {
                return TaskStatus(
                    task, progress: progress, deferrals: try await deferrals(of: task, progress: progress))
            }
            if let trace = try await trace(of: task) { return TaskStatus(task.id, trace: trace) }
            if let report = try await remainingReport(of: task) { return TaskStatus(report) }
            return TaskStatus(
                unplanned: task, at: time.now, isCancelled: try await ledger.isCancelled(task.id),
                problem: try await archive.reasonGivenUp(task.id))
        }
    }

    /// Most tasks defer nothing.
    private func deferrals(
        of task: PushTask, progress: TaskProgress
    ) async throws(StoreError) -> DeferralSummary {
        guard progress.counts[.deferred] > 0 else { return DeferralSummary() }
        return try await ledger.deferrals(of: task.id, in: try await ledger.openSegments(of: task.id))
    }

    /// Nil while the task is open.
    func report(of task: KnownTask) async throws(StoreError) -> [UInt8]? {
        switch task {
        case .kept(let task): try await archive.report(of: task.id)
        case .traced(let id, let trace): TaskReport(id, trace: trace).encoded()
        case .reported(let report): report.encoded()
        }
    }

    func trace(of device: DeviceID, in task: KnownTask) async throws -> DeviceTrace {
        switch task {
        case .traced(let id, let trace): return DeviceTrace(device, of: id, trace: trace)
        case .reported: throw TaskError.unknownDevice
        case .kept(let task):
            if let progress = try await ledger.progress(of: task.id) {
                return try await DeviceTrace.read(device, of: task, progress: progress, from: ledger)
            }
            if let trace = try await trace(of: task) { return DeviceTrace(device, of: task.id, trace: trace) }
            guard try await remainingReport(of: task) == nil else { throw TaskError.unknownDevice }
            return DeviceTrace(device, ofUnplanned: task.id)
        }
    }

    /// Newest first. A refused or expired task may still be in the index of tasks; it is omitted.
    func page(of app: AppID, before: TaskEntry.ID?, limit: Int) async throws -> TaskPage {
        try await page(archive.tasks(of: app, before: before, limit: limit), of: app, limit: limit)
    }

    /// Tasks that wait for their time, the next first.
    func scheduled(of app: AppID, after: TaskEntry.ID?, limit: Int) async throws -> TaskPage {
        try await page(archive.scheduled(of: app, after: after, limit: limit), of: app, limit: limit)
    }

    private func page(_ entries: [TaskEntry.ID], of app: AppID, limit: Int) async throws -> TaskPage {
        var page = TaskPage(statuses: [], next: entries.count == limit ? entries.last : nil)
        for entry in entries {
            if let status = try await listed(entry, of: app) { page.statuses.append(status) }
        }
        return page
    }

    /// A task that cannot be decoded, such as one stored by another version, must not hide the others.
    private func listed(_ entry: TaskEntry.ID, of app: AppID) async throws -> TaskStatus? {
        do {
            guard let task = try await known(entry.task, created: entry.begins), task.app.owner == app else {
                return nil
            }
            return try await status(of: task)
        } catch let error as StoreError where error.code == .corrupt {
            log.error("unreadable task omitted from a list", [.task: "\(entry.task)", .error: "\(error)"])
            return nil
        }
    }

    private func known(_ id: TaskID, created: Timestamp?) async throws -> KnownTask? {
        if let task = try await archive.task(id) { return .kept(task) }
        if let trace = try await traces.trace(of: id, created: created) { return .traced(id, trace) }
        return try await archive.report(of: id).map { .reported(try TaskReport(decoding: $0)) }
    }

    /// The only record of a closed task after a rebuild of the store, besides the accepted task.
    private func remainingReport(of task: PushTask) async throws(StoreError) -> TaskReport? {
        try await archive.report(of: task.id).flatMap { try? TaskReport(decoding: $0) }
    }

    private func trace(of task: PushTask) async throws(StoreError) -> TaskTrace? {
        try await traces.trace(of: task.id, created: task.created)
    }
}
