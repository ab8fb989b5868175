import Bus
import Synchronization

/// One `send` split over partitions: done when every part is; fails when a part fails or time is up.
final class SendTicket: Sendable {
    /// The offset of each part's first message.
    typealias Outcome = Result<[Int64], BusError>

    private struct State {
        var open: Int
        var offsets: [Int64]
        var error: BusError?
        var waiter: CheckedContinuation<Outcome, Never>?

        var outcome: Outcome? {
            if let error { return .failure(error) }
            return open <= 0 ? .success(offsets) : nil
        }
    }

    private let state: Mutex<State>

    init(parts: Int) {
        state = Mutex(State(open: parts, offsets: [Int64](repeating: -1, count: parts)))
    }

    /// The messages of the part have consecutive offsets from this one.
    func settle(part: Int, at offset: Int64) {
        change { state in
            state.open -= 1
            state.offsets[part] = offset
        }
    }

    /// The sender gets the error now; later outcomes of parts are ignored.
    func fail(_ error: BusError) {
        change { $0.error = $0.error ?? error }
    }

    func wait() async throws(BusError) -> [Int64] {
        let outcome = await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> Outcome? in
                if let outcome = state.outcome { return outcome }
                state.waiter = continuation
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
        return try outcome.get()
    }

    private func change(_ body: (inout State) -> Void) {
        let settled = state.withLock { state -> (CheckedContinuation<Outcome, Never>, Outcome)? in
            body(&state)
            guard let outcome = state.outcome, let waiter = state.waiter else { return nil }
            state.waiter = nil
            return (waiter, outcome)
        }
        if let (waiter, outcome) = settled { waiter.resume(returning: outcome) }
    }
}
