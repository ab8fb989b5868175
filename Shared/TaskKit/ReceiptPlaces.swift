package import PushModel
package import ServiceKit
package import Store
import Synchronization
import TaskModel
import Topics

/// Under which values of the statistics the receipts of a task are counted, and when it was sent. The values are kept with
/// the task's first receipts, and before that taken from the task itself; the receipts of one that is known no more count
/// without.
package final class ReceiptPlaces: Sendable {
    package static let tasksMaximum = 4_096

    private let receipts: any TaskReceipts
    private let archive: any TaskArchive
    private let traces: any TaskTraces
    private let known = Mutex(RecentlyUsed<TaskID, [StatisticsPlace]>(costMaximum: ReceiptPlaces.tasksMaximum))
    /// Of tasks that were looked up themselves.
    private let begun = Mutex(RecentlyUsed<TaskID, Timestamp>(costMaximum: ReceiptPlaces.tasksMaximum))

    package init(receipts: any TaskReceipts, archive: any TaskArchive, traces: any TaskTraces) {
        self.receipts = receipts
        self.archive = archive
        self.traces = traces
    }

    package func places(of task: TaskID, day: UInt16) async throws(StoreError) -> [StatisticsPlace] {
        if let places = known.withLock({ $0.value(for: task) }) { return places }
        let places = try await find(task, day: day)
        known.withLock { $0.set(places, for: task) }
        return places
    }

    /// Nil if that is known no more.
    package func begin(of task: TaskID) async throws(StoreError) -> Timestamp? {
        if let begins = begun.withLock({ $0.value(for: task) }) { return begins }
        return try await details(of: task)?.details.begins
    }

    private func find(_ task: TaskID, day: UInt16) async throws(StoreError) -> [StatisticsPlace] {
        if let places = try await receipts.places(of: task, day: day) { return places }
        guard let found = try await details(of: task) else { return [] }
        if let begins = found.details.begins { begun.withLock { $0.set(begins, for: task) } }
        return found.details.places(in: found.dialect)
    }

    private func details(of task: TaskID) async throws(StoreError) -> (details: ReportDetails, dialect: String)? {
        if let content = try await archive.content(of: task), let task = try? PushTask(archived: content, of: task) {
            return (ReportDetails(of: task), task.dialect.rawValue)
        }
        if let report = try await archive.report(of: task).flatMap({ try? TaskReport(decoding: $0) }) {
            return (report.details, report.dialect.rawValue)
        }
        return try await traces.trace(of: task, created: nil).map { trace in
            (ReportDetails(packed: trace.report, created: trace.created) ?? ReportDetails(), trace.dialect)
        }
    }
}
