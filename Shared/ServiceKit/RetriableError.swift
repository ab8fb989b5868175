/// An error that knows whether the same work may succeed later without being changed, because what failed was not the
/// work but something it needed. Such work is tried until it succeeds and is never counted as poison.
package protocol RetriableError: Error {
    var isRetriable: Bool { get }
}
