import PushModel
import Store
import TaskKit
import TaskModel

/// The stores that hold the state of a task.
struct TaskStores: Sendable {
    let ledger: any Ledger
    let archive: any TaskArchive
    let agenda: any TaskAgenda
    let traces: any TaskTraces
    let statistics: any TaskStatistics
    let deviceTasks: any DeviceTasks
    let witness: any LedgerWitness
    let outbox: any StateOutbox
}

extension TaskArchive {
    /// Also nil for an undecodable task: a task is closed without its content.
    func readableTask(_ id: TaskID) async throws(StoreError) -> PushTask? {
        guard let content = try await content(of: id) else { return nil }
        return try? PushTask(archived: content, of: id)
    }
}
