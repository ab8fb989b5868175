import ServiceKit
import Synchronization

/// State shared by callers and the pool's thread: submitted requests, the window, and the pool's condition.
final class PoolIntake: Sendable {
    private struct State {
        var window: RequestWindow
        var order = Order()
        /// True if something has changed since the thread's last check.
        var hasNews = false
        /// True while the thread waits and would not notice changes.
        var isAsleep = false
        var obstacle: HTTP2Error?
    }

    /// The state that the thread reads.
    struct Order {
        var arrivals: [PendingRequest] = []
        var lookups: [HostLookup] = []
        var renewsConnections = false
        var isClosing = false
        var isAborted = false
    }

    private let reactor: HTTP2Reactor
    private let state: Mutex<State>

    init(_ configuration: HTTP2Configuration, reactor: HTTP2Reactor) {
        self.reactor = reactor
        let window = RequestWindow(
            requestsMaximum: configuration.requestsMaximum, waitersMaximum: configuration.waitersMaximum)
        state = Mutex(State(window: window))
    }

    func submit(_ requests: [PendingRequest], areAwaited: Bool) -> RequestWindow.Admission {
        change { state in
            let admission = state.window.admit(requests.count, areAwaited: areAwaited)
            if admission == .accepted { state.order.arrivals += requests }
            return admission
        }
    }

    func settle(_ count: Int) {
        state.withLock { $0.window.settle(count) }
    }

    func close() {
        change { state in
            state.window.close()
            state.order.isClosing = true
        }
    }

    func abort() {
        change { $0.order.isAborted = true }
    }

    func renewConnections() {
        change { $0.order.renewsConnections = true }
    }

    func deliver(_ lookup: HostLookup) {
        change { $0.order.lookups.append(lookup) }
    }

    func report(_ obstacle: HTTP2Error?) {
        state.withLock { $0.obstacle = obstacle }
    }

    var obstacle: HTTP2Error? { state.withLock { $0.obstacle } }
    var room: Int { state.withLock { max(0, $0.window.room) } }

    /// Called by the thread at the start of its turn.
    func take() -> Order {
        state.withLock { state in
            let order = state.order
            state.order.arrivals = []
            state.order.lookups = []
            state.order.renewsConnections = false
            state.hasNews = false
            state.isAsleep = false
            return order
        }
    }

    /// False if something has arrived since the last check, so that the thread must not wait.
    func mayWait() -> Bool {
        state.withLock { state in
            state.isAsleep = !state.hasNews
            return state.isAsleep
        }
    }

    private func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, wakes) = state.withLock { state in
            let result = body(&state)
            state.hasNews = true
            defer { state.isAsleep = false }
            return (result, state.isAsleep)
        }
        if wakes { reactor.wakePipe.wake() }
        return result
    }
}
