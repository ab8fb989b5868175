import Glibc
import Synchronization

/// Turns SIGTERM and SIGINT into an orderly shutdown: the first drains the service, a second ends it immediately.
package final class SignalListener: Sendable {
    private struct State {
        var received: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }

    private let state = Mutex(State())

    /// Call once. Uses a handler instead of a mask and `sigwait`: the main thread and those of the concurrency runtime
    /// exist before any of our code runs and could not be given the mask.
    package static func install() -> SignalListener {
        let listener = SignalListener()
        // A peer that closes a socket or pipe causes an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0, "cannot open a pipe")
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // The handler must never block; signals beyond a full pipe are not needed.
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        caughtSignals.store(ends[1], ordering: .releasing)
        for number in [SIGTERM, SIGINT] { SignalListener.handle(number) }
        NativeThread(name: "signals") { [input = ends[0]] in listener.listen(input) }.detach()
        return listener
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = noteSignal
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }

    /// The signal that requested the shutdown.
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

    private func listen(_ input: Int32) {
        SignalListener.unblock()
        while true {
            var byte: UInt8 = 0
            guard read(input, &byte, 1) == 1 else { continue }
            let number = Int32(byte)
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

    /// The parent process may have left the signals blocked; one thread that takes them is enough.
    private static func unblock() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}

/// The descriptor the handler writes to.
private let caughtSignals = Atomic<Int32>(-1)

/// Async-signal-safe: no lock, no allocation, only one write.
private func noteSignal(_ number: Int32) {
    let formerError = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(caughtSignals.load(ordering: .acquiring), &byte, 1)
    errno = formerError
}
