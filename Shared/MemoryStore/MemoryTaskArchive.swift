package import PushModel
import ServiceKit
package import Store
import Synchronization

/// The archive in memory. `forget` with a time of zero removes data immediately; otherwise it stays, for tests.
package final class MemoryTaskArchive: TaskArchive {
    private struct Shelf {
        var contents: [TaskID: [UInt8]] = [:]
        var parts: [TaskID: [Int: [UInt8]]] = [:]
        var segments: [TaskID: [SegmentNumber]] = [:]
        var devices: [TaskID: [Int: [UInt8]]] = [:]
        var reports: [TaskID: [UInt8]] = [:]
        var stages: [TaskID: ReportStage] = [:]
        var reasons: [TaskID: String] = [:]
        var lists: [AppID: [TaskEntry.ID]] = [:]
    }

    private let shelf = Mutex(Shelf())

    package init() {}

    package func keep(_ content: [UInt8], of task: TaskID, entry: TaskEntry) {
        shelf.withLock { shelf in
            guard shelf.contents[task] == nil else { return }
            shelf.contents[task] = content
            shelf.lists[entry.app, default: []].append(TaskEntry.ID(created: entry.created, task: task))
        }
    }

    package func content(of task: TaskID) -> [UInt8]? {
        shelf.withLock { $0.contents[task] }
    }

    package func keep(_ part: [UInt8], number: Int, of task: TaskID) {
        shelf.withLock { $0.parts[task, default: [:]][number] = part }
    }

    package func part(_ number: Int, of task: TaskID) -> [UInt8]? {
        shelf.withLock { $0.parts[task]?[number] }
    }

    package func decide(segments: [SegmentNumber], of task: TaskID) -> [SegmentNumber] {
        shelf.withLock { shelf in
            let decided = shelf.segments[task] ?? segments
            shelf.segments[task] = decided
            return decided
        }
    }

    package func decide(devices: [UInt8], job: Int, of task: TaskID) -> [UInt8] {
        shelf.withLock { shelf in
            let decided = shelf.devices[task]?[job] ?? devices
            shelf.devices[task, default: [:]][job] = decided
            return decided
        }
    }

    package func devices(job: Int, of task: TaskID) -> [UInt8]? {
        shelf.withLock { $0.devices[task]?[job] }
    }

    package func dropDevices(job: Int, of task: TaskID) {
        shelf.withLock { shelf in
            shelf.devices[task]?[job] = nil
            if shelf.devices[task]?.isEmpty == true { shelf.devices[task] = nil }
        }
    }

    package func giveUp(_ task: TaskID, reason: String) {
        shelf.withLock { $0.reasons[task] = reason }
    }

    package func reasonGivenUp(_ task: TaskID) -> String? {
        shelf.withLock { $0.reasons[task] }
    }

    package func fix(report: [UInt8], of task: TaskID) -> [UInt8] {
        shelf.withLock { shelf in
            let fixed = shelf.reports[task] ?? report
            shelf.reports[task] = fixed
            return fixed
        }
    }

    package func report(of task: TaskID) -> [UInt8]? {
        shelf.withLock { $0.reports[task] }
    }

    package func advance(reportOf task: TaskID, to stage: ReportStage) {
        shelf.withLock { shelf in
            if stage.rawValue > (shelf.stages[task] ?? .fixed).rawValue { shelf.stages[task] = stage }
        }
    }

    package func reportStage(of task: TaskID) -> ReportStage {
        shelf.withLock { $0.stages[task] ?? .fixed }
    }

    package func isReported(_ task: TaskID) -> Bool {
        shelf.withLock { $0.reports[task] != nil || $0.stages[task] != nil }
    }

    package func withdraw(_ task: TaskID) {
        shelf.withLock { $0.contents[task] = nil }
    }

    /// Parts expire on their own, as in Redis.
    package func forget(_ task: TaskID, after: Duration) {
        guard after <= .zero else { return }
        shelf.withLock { shelf in
            shelf.contents[task] = nil
            shelf.segments[task] = nil
            shelf.reports[task] = nil
            shelf.stages[task] = nil
            shelf.reasons[task] = nil
        }
    }

    package func tasks(of app: AppID, before: TaskEntry.ID?, limit: Int) -> [TaskEntry.ID] {
        shelf.withLock { shelf in
            let newestFirst = (shelf.lists[app] ?? []).sorted { $1.isBefore($0) }
            return Array(newestFirst.filter { entry in before.map { entry.isBefore($0) } ?? true }.prefix(limit))
        }
    }
}
