import ServiceKit

/// Something of the task is not in the archive: it may come back, with a dead letter that is replayed or a store that is
/// mended, and the job waits for it.
struct MissingForNow: RetriableError, CustomStringConvertible {
    let description: String
    let isRetriable = true
}
