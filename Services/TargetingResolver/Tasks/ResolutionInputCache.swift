import PushModel
import ServiceKit
import Store
import Synchronization
import TaskKit

/// Caches the inputs of active tasks, so that not every job of a broadcast reads its task. A task never changes.
final class ResolutionInputCache: Sendable {
    static let tasksMaximum = 256

    private let archive: any TaskArchive
    private let cache = Mutex(RecentlyUsed<TaskID, ResolutionInput>(costMaximum: ResolutionInputCache.tasksMaximum))

    init(archive: any TaskArchive) {
        self.archive = archive
    }

    func keep(_ input: ResolutionInput) {
        cache.withLock { $0.set(input, for: input.task) }
    }

    /// Nil if the archive has no such task.
    func input(of task: TaskID) async throws -> ResolutionInput? {
        if let known = cache.withLock({ $0.value(for: task) }) { return known }
        guard let task = try await archive.task(task) else { return nil }
        let input = ResolutionInput(task)
        keep(input)
        return input
    }
}
