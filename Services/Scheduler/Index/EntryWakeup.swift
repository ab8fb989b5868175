import ServiceKit
import Synchronization

/// Wakes the releaser of a shard for an order that is due before the one it waits for.
final class EntryWakeup: Sendable {
    private struct State {
        /// Orders that are due later do not wake the releaser; nil while every order does.
        var awaited: Timestamp?
        var call = OneTimeEvent()
    }

    private let state = Mutex(State())

    /// To be called before reading the index: an order that arrives in between then wakes the releaser.
    func listen() -> OneTimeEvent {
        state.withLock { state in
            state.awaited = nil
            return state.call
        }
    }

    func await(_ moment: Timestamp) {
        state.withLock { $0.awaited = moment }
    }

    func wake(for due: Timestamp) {
        let call = state.withLock { state -> OneTimeEvent? in
            if let awaited = state.awaited, due >= awaited { return nil }
            defer { state.call = OneTimeEvent() }
            return state.call
        }
        call?.happen()
    }

    func wake() {
        wake(for: Timestamp(milliseconds: .min))
    }
}
