import PushModel
import ServiceKit

/// Tasks to check, each once, and not again before a rest: results of a broadcast come by the thousand, and one check
/// serves them all. Tasks beyond the limit are still in the agenda.
struct CheckQueue {
    struct Check: Equatable {
        let task: TaskID
        /// True if its time in the agenda has come; false if results of it came.
        let isDue: Bool
    }

    private struct Entry {
        var isWanted = false
        var isDue = false
    }

    static let tasksMaximum = 10_000
    static let rest = Duration.milliseconds(200)

    private var entries: [TaskID: Entry] = [:]
    private var waiting = Queue<TaskID>()
    /// With the end of the rest, as uptime.
    private var resting = Queue<(task: TaskID, end: Duration)>()

    var waitingCount: Int { waiting.count }

    /// When the rest of the next task ends.
    var nextWake: Duration? { resting.first?.end }

    mutating func want(_ task: TaskID, isDue: Bool) {
        if entries[task] == nil {
            guard entries.count < CheckQueue.tasksMaximum else { return }
            entries[task] = Entry()
            waiting.append(task)
        }
        entries[task]?.isWanted = true
        if isDue { entries[task]?.isDue = true }
    }

    /// The task is in progress until it is finished; requests meanwhile lead to another check.
    mutating func take(at uptime: Duration) -> Check? {
        wake(at: uptime)
        guard let task = waiting.popFirst(), let entry = entries[task] else { return nil }
        entries[task] = Entry()
        return Check(task: task, isDue: entry.isDue)
    }

    mutating func finish(_ task: TaskID, at uptime: Duration) {
        resting.append((task, uptime + CheckQueue.rest))
    }

    private mutating func wake(at uptime: Duration) {
        while let first = resting.first, first.end <= uptime {
            resting.popFirst()
            guard entries[first.task]?.isWanted == true else {
                entries[first.task] = nil
                continue
            }
            waiting.append(first.task)
        }
    }
}
