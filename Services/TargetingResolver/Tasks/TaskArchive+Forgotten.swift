import ServiceKit
import Store
import TaskModel

extension TaskArchive {
    /// True if a task without a ledger or a report was closed and forgotten.
    func hasForgotten(_ task: PushTask, at now: Timestamp) async throws(StoreError) -> Bool {
        guard now >= task.begins + TaskArchiveBounds.forgettingAge else { return false }
        return try await content(of: task.id) == nil
    }
}
