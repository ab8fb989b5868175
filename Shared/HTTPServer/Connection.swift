import Glibc
import Synchronization

/// One client's connection, from accepting it until just before its socket is closed.
///
/// Other threads may shut the socket down: its number is theirs only under `lock` and while the library has not said
/// that it closes it, or the number could by then belong to another client.
final class Connection: Sendable {
    private struct State {
        var descriptor: Int32?
        var deadline: Duration?
        var lateness = Refusal.Reason.headerLate
        var exchange: Exchange?
        var lingers = false
        var hasClientFinished = false

        /// Makes the kernel tell the library once more that the socket can be read, down to its end: the library takes
        /// a short read for the last one and forgets the end behind it. What was received can still be read.
        func rouseLibrary() {
            guard deadline != nil, let descriptor else { return }
            shutdown(descriptor, Int32(SHUT_RD))
        }
    }

    struct Limits: Sendable {
        let header: Duration
        let body: Duration
        let idle: Duration
    }

    let id: UInt64
    let peer: String
    private let limits: Limits
    private let lock: Mutex<State>

    init(id: UInt64, descriptor: Int32, peer: String, limits: Limits, now: Duration) {
        self.id = id
        self.peer = peer
        self.limits = limits
        lock = Mutex(State(descriptor: descriptor, deadline: now + limits.header))
    }

    /// The first line of a request is here, but not yet its whole header.
    func requestLineRead(at now: Duration) {
        lock.withLock { state in
            state.deadline = min(state.deadline ?? .seconds(Int64.max), now + limits.header)
        }
    }

    func headerCompleted(by exchange: Exchange, at now: Duration) {
        lock.withLock { state in
            state.exchange = exchange
            state.deadline = now + limits.body
            state.lateness = .bodyLate
        }
    }

    func requestCompleted() {
        lock.withLock { $0.deadline = nil }
    }

    /// Bytes of the next header are seen only when its first line is complete, so until then it has the idle time too.
    func requestEnded(at now: Duration) {
        lock.withLock { state in
            state.exchange = nil
            state.deadline = now + limits.idle + limits.header
            state.lateness = .headerLate
        }
    }

    /// Closing it will not cut off an answer that the client has not read while it is still sending.
    func linger() {
        lock.withLock { $0.lingers = true }
    }

    var hasClientFinished: Bool { lock.withLock { $0.hasClientFinished } }

    /// The client has closed its side. It may still read one answer, but nobody is known to read a stream with half a
    /// connection, so a stream ends here.
    func clientFinished() {
        let exchange = lock.withLock { state in
            state.hasClientFinished = true
            state.rouseLibrary()
            return state.exchange
        }
        exchange?.cutStream()
    }

    /// Ends the connection if it is past its deadline, and says what was late.
    func expire(at now: Duration) -> Refusal.Reason? {
        lock.withLock { state in
            if state.hasClientFinished { state.rouseLibrary() }
            guard let deadline = state.deadline, deadline <= now, let descriptor = state.descriptor else { return nil }
            state.deadline = nil
            shutdown(descriptor, Int32(SHUT_RDWR))
            return state.lateness
        }
    }

    /// Ends the connection if no request is on its way.
    func closeIfIdle() {
        lock.withLock { state in
            guard state.exchange == nil, let descriptor = state.descriptor else { return }
            shutdown(descriptor, Int32(SHUT_RDWR))
        }
    }

    /// The request on its way, if any.
    var exchange: Exchange? {
        lock.withLock { $0.exchange }
    }

    func withDescriptor(_ body: (Int32) -> Void) {
        lock.withLock { state in
            if let descriptor = state.descriptor { body(descriptor) }
        }
    }

    /// The library is about to close the socket. Returns a duplicate that keeps it half open, when its client should
    /// still get to read the answer.
    func close() -> Int32? {
        lock.withLock { state in
            guard let descriptor = state.descriptor else { return nil }
            state.descriptor = nil
            guard state.lingers else { return nil }
            let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            return duplicate < 0 ? nil : duplicate
        }
    }
}
