import Store
import TaskModel
import Topics

/// Where a task stands.
struct TaskStores: Sendable {
    let ledger: any Ledger
    let archive: any TaskArchive
    let agenda: any TaskAgenda
    let traces: any TaskTraces
}

extension PushTask {
    /// Nil for bytes of a version that is not known here.
    init?(archived bytes: [UInt8]) {
        guard case .task(let task)? = try? TaskMessage(decoding: bytes) else { return nil }
        self = task
    }
}
