import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel

/// Restores which task of a key counts, from tasks that were not sent yet. Of several the last created one counts; the
/// sweep of a scheduler cancels the others.
struct ReplacementRecovery: Sendable {
    private static let attemptsMaximum = 16

    private let replacements: any TaskReplacements
    private let archive: any TaskArchive
    private let time: any TimeSource

    init(_ stores: RecoveryStores, time: any TimeSource) {
        replacements = stores.replacements
        archive = stores.archive
        self.time = time
    }

    /// True if the task counts, or has no key. A pointer to a task that the archive does not have is right: the store
    /// kept it.
    func restore(_ task: PushTask) async throws(StoreError) -> Bool {
        guard let key = task.replaces else { return true }
        let end = task.deadline + TaskArchiveBounds.retention
        for _ in 0..<ReplacementRecovery.attemptsMaximum {
            let pointer = try await replacements.pointer(of: key) ?? ReplacementPointer()
            guard let current = pointer.current else {
                if try await replacements.set(pointer.replaced(by: task.id, until: end), of: key) { return true }
                continue
            }
            if current == task.id { return true }
            // One more is withdrawn at its release.
            if pointer.isFull { return false }
            let counts = try await isLater(task, than: current)
            let next =
                counts ? pointer.replaced(by: task.id, until: end) : pointer.cancelling(task.id, until: end)
            try await replacements.enter(TaskSwap(counts ? task.id : current, key: key), due: time.now)
            if try await replacements.set(next, of: key) { return counts }
        }
        throw StoreError(.unavailable, message: "the pointer of key \(key) changes during the rebuild")
    }

    private func isLater(_ task: PushTask, than current: TaskID) async throws(StoreError) -> Bool {
        guard let other = try await archive.task(current) else { return false }
        return (other.created, other.id.low) < (task.created, task.id.low)
    }
}
