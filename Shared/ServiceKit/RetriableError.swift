/// An error that may be temporary: `isRetriable` is true if a dependency failed rather than the work itself. Such work
/// is retried until it succeeds and never counts as poison.
package protocol RetriableError: Error {
    var isRetriable: Bool { get }
}
