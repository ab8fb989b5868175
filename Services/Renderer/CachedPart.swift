import PushModel
import ServiceKit
import Synchronization
import TaskModel
import Topics

/// A part of a task's list with the contents of its entries, each with its variants rendered so far.
final class CachedPart: Sendable {
    private let contents: [TaskContent]
    private let contentBytes: Int
    /// By the place of the content, for the devices that came last.
    private let tasks = Mutex<[Int: CachedTask]>([:])

    init(_ part: TaskPart, contentBytes: Int) {
        contents = part.contents
        self.contentBytes = contentBytes
    }

    /// Estimated memory use.
    var bytes: Int {
        contentBytes * CachedTask.weight + tasks.withLock { $0.values.reduce(0) { $0 + $1.bytes } }
    }

    /// The task with the content at this place, for devices whose life begins as that of the given task's. Nil if the
    /// part has no such content.
    func task(at place: Int, of task: CachedTask, now: Timestamp) -> CachedTask? {
        guard contents.indices.contains(place) else { return nil }
        return tasks.withLock { tasks in
            if let known = tasks[place], known.begins == task.begins, known.goodUntil > now { return known }
            let own = CachedTask(task.task.with(contents[place]), begins: task.begins, contentBytes: 0, now: now)
            tasks[place] = own
            return own
        }
    }
}
