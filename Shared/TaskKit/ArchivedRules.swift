package import PushModel
import ServiceKit
package import Store
import Synchronization
package import TaskModel

/// Caches the rules of tasks whose devices are released, so that not every order reads its task. They never change.
package final class ArchivedRules: Sendable {
    private static let tasksMaximum = 1_024

    private let archive: any TaskArchive
    private let cache = Mutex(RecentlyUsed<TaskID, DeliveryRules>(costMaximum: ArchivedRules.tasksMaximum))

    package init(_ archive: any TaskArchive) {
        self.archive = archive
    }

    /// Nil for a task that the archive does not have: it is finished, or lost and ended by its deadline.
    package func rules(of id: TaskID) async throws(StoreError) -> DeliveryRules? {
        if let known = cache.withLock({ $0.value(for: id) }) { return known }
        guard let task = try await archive.task(id) else { return nil }
        cache.withLock { $0.set(task.rules, for: id) }
        return task.rules
    }
}
