import PushModel
import Store

/// Deliveries to a device that failed since it was last heard of.
struct MemoryFailures {
    private var count = 0
    /// The latest first.
    private var tasks: [TaskID] = []

    /// How many there are with this one.
    mutating func count(_ task: TaskID) -> Int {
        guard !tasks.contains(task) else { return count }
        count += 1
        tasks = Array(([task] + tasks).prefix(RegistryBounds.failuresRemembered))
        return count
    }
}
