import ServiceKit

/// Data of the task is not in the store. It may come back, with a replayed dead letter or a repaired store, and the job
/// waits for it: in the retry index, or in place while the registry is rebuilt.
struct TemporarilyMissingError: RetriableError, CustomStringConvertible {
    let description: String
    let isRetriable = true
}
