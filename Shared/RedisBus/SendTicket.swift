import Bus
import Synchronization

/// One `send` that was split over partitions: done when every part is, failed when any is.
final class SendTicket: Sendable {
    private struct State {
        var open: Int
        var error: BusError?
        var waiter: CheckedContinuation<BusError?, Never>?
    }

    private let state: Mutex<State>

    init(parts: Int) {
        state = Mutex(State(open: parts))
    }

    func settlePart(_ error: BusError?) {
        let settled = state.withLock { state -> (CheckedContinuation<BusError?, Never>, BusError?)? in
            state.open -= 1
            state.error = state.error ?? error
            guard state.open == 0, let waiter = state.waiter else { return nil }
            state.waiter = nil
            return (waiter, state.error)
        }
        if let (waiter, error) = settled { waiter.resume(returning: error) }
    }

    func wait() async throws(BusError) {
        let error = await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> BusError?? in
                if state.open == 0 { return .some(state.error) }
                state.waiter = continuation
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
        if let error { throw error }
    }
}
