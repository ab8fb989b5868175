import ServiceKit
import Synchronization

/// Orders from the owner of a server to its thread.
final class ServerControls: Sendable {
    enum Command: Sendable {
        case goodbye
        case drop
        case settings(streamsMaximum: Int, streamWindow: Int)
    }

    /// The state that the thread reads.
    struct Order {
        var commands: [Command] = []
        var streamsBeforeGoodbye: Int?
        var isFrozen = false
        var isClosed = false
    }

    private struct State {
        var order = Order()
        var hasNews = false
    }

    private let reactor: HTTP2Reactor
    private let state = Mutex(State())

    init(_ reactor: HTTP2Reactor) {
        self.reactor = reactor
    }

    func change(_ body: (inout Order) -> Void) {
        state.withLock { state in
            body(&state.order)
            state.hasNews = true
        }
        reactor.wakePipe.wake()
    }

    /// Nil if nothing has changed since the last call.
    func take() -> Order? {
        state.withLock { state in
            guard state.hasNews else { return nil }
            state.hasNews = false
            defer { state.order.commands = [] }
            return state.order
        }
    }
}
