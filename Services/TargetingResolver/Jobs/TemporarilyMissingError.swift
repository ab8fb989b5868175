import ServiceKit

/// Data of the task is not in the store. It may come back, with a replayed dead letter or a repaired store, and the job
/// waits for it: in the retry index, or in place while the registry is rebuilt.
struct TemporarilyMissingError: RetriableError, CustomStringConvertible {
    let description: String
    /// Age of the task whose part is missing; nil if other data is. Parts are mostly a moment behind their task.
    var age: Duration?
    let isRetriable = true
}
