import ServiceKit

/// Something of the task is not in the store: it may come back, with a dead letter that is replayed or a store that is
/// mended, and the job waits for it: in the index of retries, or in place while the registry is being rebuilt.
struct TemporarilyMissingError: RetriableError, CustomStringConvertible {
    let description: String
    let isRetriable = true
}
