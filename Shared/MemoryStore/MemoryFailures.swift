import PushModel
import Store

/// Failed deliveries to a device since its last sign of life.
struct MemoryFailures {
    private var count = 0
    /// The latest first.
    private var tasks: [TaskID] = []

    /// Number of failures, including this one.
    mutating func count(_ task: TaskID) -> Int {
        guard !tasks.contains(task) else { return count }
        count += 1
        tasks = Array(([task] + tasks).prefix(RegistryBounds.failuresRemembered))
        return count
    }
}
