import PushModel
import Store
import TaskKit
import TaskModel

/// Where a task stands.
struct TaskStores: Sendable {
    let ledger: any Ledger
    let archive: any TaskArchive
    let agenda: any TaskAgenda
    let traces: any TaskTraces
    let witness: any LedgerWitness
}

extension TaskArchive {
    /// Also nil for one that cannot be read here: a task comes to its end without its content.
    func readableTask(_ id: TaskID) async throws(StoreError) -> PushTask? {
        guard let content = try await content(of: id) else { return nil }
        return try? PushTask(archived: content, of: id)
    }
}
