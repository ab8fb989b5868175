import Synchronization

/// Bounds the scans of the topic `dead`: one at a time.
final class DeadLetterTurn: Sendable {
    private let isTaken = Mutex(false)

    func run<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, body: () async throws -> Value
    ) async throws -> Value {
        let isFree = isTaken.withLock { taken in
            defer { taken = true }
            return !taken
        }
        guard isFree else { throw TaskError.readingLetters }
        defer { isTaken.withLock { $0 = false } }
        return try await body()
    }
}
