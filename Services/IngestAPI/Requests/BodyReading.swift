import HTTPServer
import Synchronization

/// Where bodies are parsed and checked, which takes the processor for as long as they are large. A small body is read at
/// once, by the task that asks. Large ones are read beside it, in a few tasks of low priority, for which Swift's runtime
/// keeps threads of their own: a single push waits behind none of them, neither here nor where it is continued. Payers
/// of large bodies (keys, and addresses without one) take turns.
///
/// One for all routes of a process. What waits is bounded by the server's connections and by its memory for bodies.
final class BodyReading: Sendable {
    /// Far more than a push to one device takes, and read in less than a millisecond.
    static let smallBytesMaximum = 16 << 10
    /// Large bodies that are read at once.
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
        // A continuation, and not the value of a task: awaiting that would lend it the priority of whoever waits.
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

    /// Nil ends the reader that asks.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let work = state.waiting.next()
            if work == nil { state.readers -= 1 }
            return work
        }
    }
}
