import Glibc
import Synchronization

/// Turns SIGTERM and SIGINT into an orderly end: the first asks the service to drain, a second ends it at once.
package final class SignalListener: Sendable {
    private struct State {
        var received: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }

    private let state = Mutex(State())

    /// Call once, before any other thread is started: threads inherit the mask that keeps the signals for the listener.
    package static func install() -> SignalListener {
        let listener = SignalListener()
        // A peer that closes its end of a socket or pipe is an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let signals = stopSignals()
        _ = withUnsafePointer(to: signals) { pthread_sigmask(SIG_BLOCK, $0, nil) }
        NativeThread(name: "signals") { listener.listen() }.detach()
        return listener
    }

    /// The signal that asked for the end.
    @discardableResult
    package func stopRequest() async -> Int32 {
        await withCheckedContinuation { continuation in
            let received = state.withLock { state -> Int32? in
                if state.received == nil { state.waiters.append(continuation) }
                return state.received
            }
            if let received { continuation.resume(returning: received) }
        }
    }

    private static func stopSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }

    private func listen() {
        var signals = SignalListener.stopSignals()
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            let (isSecond, waiters) = state.withLock { state in
                defer {
                    state.received = number
                    state.waiters = []
                }
                return (state.received != nil, state.waiters)
            }
            if isSecond { _exit(128 + number) }
            for waiter in waiters { waiter.resume(returning: number) }
        }
    }
}
