import Bus
import Synchronization

/// One `send` that was split over partitions: done when every part is, failed when one is or when its time is over.
final class SendTicket: Sendable {
    private struct State {
        var open: Int
        var error: BusError?
        var waiter: CheckedContinuation<BusError?, Never>?
        var isOver: Bool { open <= 0 || error != nil }
    }

    private let state: Mutex<State>

    init(parts: Int) {
        state = Mutex(State(open: parts))
    }

    func settlePart(_ error: BusError?) {
        change { state in
            state.open -= 1
            state.error = state.error ?? error
        }
    }

    /// The sender is told now; parts that go through later do so unheard.
    func expire(_ error: BusError) {
        change { $0.error = $0.error ?? error }
    }

    func wait() async throws(BusError) {
        let error = await withCheckedContinuation { continuation in
            let settled = state.withLock { state -> BusError?? in
                if state.isOver { return .some(state.error) }
                state.waiter = continuation
                return nil
            }
            if let settled { continuation.resume(returning: settled) }
        }
        if let error { throw error }
    }

    private func change(_ body: (inout State) -> Void) {
        let settled = state.withLock { state -> (CheckedContinuation<BusError?, Never>, BusError?)? in
            body(&state)
            guard state.isOver, let waiter = state.waiter else { return nil }
            state.waiter = nil
            return (waiter, state.error)
        }
        if let (waiter, error) = settled { waiter.resume(returning: error) }
    }
}
