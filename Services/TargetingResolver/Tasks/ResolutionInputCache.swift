import PushModel
import Store
import Synchronization
import TaskKit

/// What the tasks under way aim at, so that not every job of a broadcast reads its task again. A task never changes.
final class ResolutionInputCache: Sendable {
    static let tasksMaximum = 256

    private struct Shelf {
        var aims: [TaskID: ResolutionInput] = [:]
        /// The oldest first.
        var order: [TaskID] = []

        mutating func keep(_ aim: ResolutionInput) {
            guard aims.updateValue(aim, forKey: aim.task) == nil else { return }
            order.append(aim.task)
            if order.count > tasksMaximum { aims[order.removeFirst()] = nil }
        }
    }

    private let archive: any TaskArchive
    private let shelf = Mutex(Shelf())

    init(archive: any TaskArchive) {
        self.archive = archive
    }

    func keep(_ aim: ResolutionInput) {
        shelf.withLock { $0.keep(aim) }
    }

    /// Nil when the archive has no such task.
    func aim(of task: TaskID) async throws -> ResolutionInput? {
        if let known = shelf.withLock({ $0.aims[task] }) { return known }
        guard let task = try await archive.task(task) else { return nil }
        let aim = ResolutionInput(task)
        keep(aim)
        return aim
    }
}
