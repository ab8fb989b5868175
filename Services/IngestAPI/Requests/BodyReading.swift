import HTTPServer
import Synchronization

/// Parses and validates bodies, which takes CPU time in proportion to their size. A small body is read immediately in
/// the calling task. Large bodies are read in a few tasks of low priority, for which Swift's runtime has separate
/// threads, so that a single push never waits behind them, neither here nor after its continuation resumes. Accounts
/// with large bodies (keys, and addresses without a key) take turns.
///
/// Shared by all routes of a process. The queue is bounded by the server's connections and its memory for bodies.
final class BodyReading: Sendable {
    /// Far more than a push to one device needs; read in less than a millisecond.
    static let smallBytesMaximum = 16 << 10
    /// Number of large bodies read concurrently.
    private static let readersMaximum = 2

    private struct State {
        var waiting = FairQueue<String, @Sendable () -> Void>()
        var readers = 0
    }

    private let state = Mutex(State())

    /// `body` is called once, and must not block.
    func read<Value: Sendable>(
        _ request: HTTPRequest, account: String?, body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard request.body.bytes.count > BodyReading.smallBytesMaximum else { return try body() }
        // A continuation, not a task's value: awaiting a task would raise its priority to that of the caller.
        return try await withCheckedThrowingContinuation { continuation in
            add(of: account ?? request.peer) { continuation.resume(with: Result { try body() }) }
        }
    }

    private func add(of payer: String, _ work: @escaping @Sendable () -> Void) {
        let needsReader = state.withLock { state in
            state.waiting.add(work, of: payer)
            guard state.readers < BodyReading.readersMaximum else { return false }
            state.readers += 1
            return true
        }
        guard needsReader else { return }
        Task.detached(priority: .low) { [self] in
            while let work = next() { work() }
        }
    }

    /// Nil ends the calling reader.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let work = state.waiting.next()
            if work == nil { state.readers -= 1 }
            return work
        }
    }
}
