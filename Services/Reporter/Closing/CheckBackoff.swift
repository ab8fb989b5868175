import PushModel
import ServiceKit

/// The pause of each task after a check that found nothing to do: longer each time.
struct CheckBackoff {
    static let first = Duration.seconds(1)
    static let longest = Duration.seconds(60)
    /// Maximum tasks remembered; the others start again with the first pause.
    static let tasksMaximum = 10_000

    private var last = RecentlyUsed<TaskID, Duration>(costMaximum: CheckBackoff.tasksMaximum)

    mutating func next(_ task: TaskID) -> Duration {
        let pause = last.value(for: task).map { min($0 * 2, CheckBackoff.longest) } ?? CheckBackoff.first
        last.set(pause, for: task)
        return pause
    }

    /// Pause of a report that waits for room: about as long as it has waited, so that many do not crowd out the rest.
    static func again(waited: Duration, _ random: any RandomSource) -> Duration {
        let ceiling = min(max(waited, first), longest)
        return random.duration(in: ceiling / 2...ceiling)
    }

    mutating func forget(_ task: TaskID) {
        last.remove(task)
    }
}
