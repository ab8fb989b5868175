import PushModel
import ServiceKit
import TaskModel
import Topics

/// A part of a task's list with the contents of its entries. What is rendered from them is not kept: most contents are
/// for one device.
struct CachedPart: Sendable {
    /// Memory of a decoded content besides its texts.
    private static let contentOverhead = 1_024

    private let contents: [TaskContent]
    /// Estimated memory use.
    let bytes: Int

    init(_ part: TaskPart, contentBytes: Int) {
        contents = part.contents
        bytes = contentBytes * CachedTask.weight + contents.count * CachedPart.contentOverhead
    }

    /// The task with the content at this place, for devices whose life begins as that of the given task's. Nil if the
    /// part has no such content.
    func task(at place: Int, of task: CachedTask, now: Timestamp) -> CachedTask? {
        guard contents.indices.contains(place) else { return nil }
        return CachedTask(task.task.with(contents[place]), begins: task.begins, contentBytes: 0, now: now)
    }
}
