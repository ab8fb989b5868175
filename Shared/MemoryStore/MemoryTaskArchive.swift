package import PushModel
import ServiceKit
package import Store
import Synchronization

/// The archive in memory. `forget` with a time of zero removes data immediately; otherwise it stays, for tests.
package final class MemoryTaskArchive: TaskArchive, Revertible {
    private struct State {
        var contents: [TaskID: [UInt8]] = [:]
        var parts: [TaskID: [Int: [UInt8]]] = [:]
        var segments: [TaskID: [SegmentNumber]] = [:]
        var devices: [TaskID: [Int: [UInt8]]] = [:]
        var reports: [TaskID: [UInt8]] = [:]
        var stages: [TaskID: ReportStage] = [:]
        var reasons: [TaskID: String] = [:]
        var lists: [AppID: [TaskEntry.ID]] = [:]
        var scheduled: [AppID: [TaskID: TaskEntry.ID]] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    package func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) {
        state.withLock { state in
            guard state.contents[task] == nil else { return }
            state.contents[task] = content
            state.lists[entry.app, default: []].append(TaskEntry.ID(begins: entry.begins, task: task))
        }
    }

    package func keep(_ tasks: [ArchivedTask]) {
        for task in tasks { keep(task.content, of: task.id, entry: task.entry) }
    }

    package func schedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) {
        state.withLock { state in
            if state.contents[task] == nil { state.contents[task] = content }
            guard state.scheduled[entry.app]?[task] == nil else { return }
            state.scheduled[entry.app, default: [:]][task] = TaskEntry.ID(begins: entry.begins, task: task)
        }
    }

    package func reschedule(_ content: [UInt8], of task: TaskID, entry: TaskEntry) {
        state.withLock { state in
            if state.contents[task] != nil { state.contents[task] = content }
            guard state.scheduled[entry.app]?[task] != nil else { return }
            state.scheduled[entry.app]?[task] = TaskEntry.ID(begins: entry.begins, task: task)
        }
    }

    package func unschedule(_ tasks: [TaskID], of app: AppID) {
        state.withLock { state in
            for task in tasks { state.scheduled[app]?[task] = nil }
        }
    }

    /// Part of a rebuild.
    package func unscheduleAll() {
        state.withLock { $0.scheduled = [:] }
    }

    package func scheduled(of app: AppID, after: TaskEntry.ID?, limit: Int) -> [TaskEntry.ID] {
        state.withLock { state in
            let soonestFirst = (state.scheduled[app] ?? [:]).values.sorted { $0.isBefore($1) }
            return Array(soonestFirst.filter { entry in after.map { $0.isBefore(entry) } ?? true }.prefix(limit))
        }
    }

    package func content(of task: TaskID) -> [UInt8]? {
        state.withLock { $0.contents[task] }
    }

    /// Parts do not expire here.
    package func keep(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) {
        state.withLock { $0.parts[task, default: [:]][number] = part }
    }

    package func keepContents(_ part: [UInt8], number: Int, of task: TaskID, for life: Duration) {
        keep(part, number: number, of: task, for: life)
    }

    package func extendContents(of task: TaskID, for life: Duration) {}

    package func part(_ number: Int, of task: TaskID) -> [UInt8]? {
        state.withLock { $0.parts[task]?[number] }
    }

    package func decide(segments: [SegmentNumber], of task: TaskID) -> [SegmentNumber] {
        state.withLock { state in
            let decided = state.segments[task] ?? segments
            state.segments[task] = decided
            return decided
        }
    }

    package func decide(devices: [UInt8], job: Int, of task: TaskID) -> [UInt8] {
        state.withLock { state in
            let decided = state.devices[task]?[job] ?? devices
            state.devices[task, default: [:]][job] = decided
            return decided
        }
    }

    package func devices(job: Int, of task: TaskID) -> [UInt8]? {
        state.withLock { $0.devices[task]?[job] }
    }

    package func dropDevices(job: Int, of task: TaskID) {
        state.withLock { state in
            state.devices[task]?[job] = nil
            if state.devices[task]?.isEmpty == true { state.devices[task] = nil }
        }
    }

    package func giveUp(_ task: TaskID, reason: String) {
        state.withLock { $0.reasons[task] = reason }
    }

    package func reasonGivenUp(_ task: TaskID) -> String? {
        state.withLock { $0.reasons[task] }
    }

    package func fix(report: [UInt8], of task: TaskID) -> [UInt8] {
        state.withLock { state in
            let fixed = state.reports[task] ?? report
            state.reports[task] = fixed
            return fixed
        }
    }

    package func report(of task: TaskID) -> [UInt8]? {
        state.withLock { $0.reports[task] }
    }

    package func advance(reportOf task: TaskID, to stage: ReportStage) {
        state.withLock { state in
            if stage.rawValue > (state.stages[task] ?? .fixed).rawValue { state.stages[task] = stage }
        }
    }

    package func reportStage(of task: TaskID) -> ReportStage {
        state.withLock { $0.stages[task] ?? .fixed }
    }

    package func isReported(_ task: TaskID) -> Bool {
        state.withLock { $0.reports[task] != nil || $0.stages[task] != nil }
    }

    package func withdraw(_ task: TaskID) {
        state.withLock { $0.contents[task] = nil }
    }

    /// Parts stay, as in Redis, where they expire on their own.
    package func forget(_ task: TaskID, after: Duration, provenFor proof: Duration) {
        guard after <= .zero else { return }
        state.withLock { state in
            state.contents[task] = nil
            state.segments[task] = nil
            state.reports[task] = nil
            state.stages[task] = nil
            state.reasons[task] = nil
        }
    }

    package func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) -> [TaskEntry.ID] {
        state.withLock { state in
            let newestFirst = (state.lists[app] ?? []).sorted { $1.isBefore($0) }
            return Array(newestFirst.filter { entry in before.map { entry.isBefore($0) } ?? true }.prefix(limit))
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
