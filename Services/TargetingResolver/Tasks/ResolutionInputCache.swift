import PushModel
import Store
import Synchronization
import TaskKit

/// Caches the inputs of active tasks, so that not every job of a broadcast reads its task. A task never changes.
final class ResolutionInputCache: Sendable {
    static let tasksMaximum = 256

    private struct Entries {
        var inputs: [TaskID: ResolutionInput] = [:]
        /// Oldest first.
        var order: [TaskID] = []

        mutating func keep(_ input: ResolutionInput) {
            guard inputs.updateValue(input, forKey: input.task) == nil else { return }
            order.append(input.task)
            if order.count > tasksMaximum { inputs[order.removeFirst()] = nil }
        }
    }

    private let archive: any TaskArchive
    private let cache = Mutex(Entries())

    init(archive: any TaskArchive) {
        self.archive = archive
    }

    func keep(_ input: ResolutionInput) {
        cache.withLock { $0.keep(input) }
    }

    /// Nil if the archive has no such task.
    func input(of task: TaskID) async throws -> ResolutionInput? {
        if let known = cache.withLock({ $0.inputs[task] }) { return known }
        guard let task = try await archive.task(task) else { return nil }
        let input = ResolutionInput(task)
        keep(input)
        return input
    }
}
