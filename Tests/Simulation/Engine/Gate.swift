import Synchronization

/// Whether a process runs. Everything it does outside of itself passes here: a stopped process waits, and continues as
/// if no time had passed; a killed one does nothing any more.
final class Gate: Sendable {
    private enum Mode {
        case running
        case stopped([UnsafeContinuation<Void, Never>])
        case dead
    }

    private let mode = Mutex(Mode.running)

    var isDead: Bool {
        mode.withLock { mode in
            if case .dead = mode { true } else { false }
        }
    }

    /// False once the process is dead.
    func pass() async -> Bool {
        switch mode.withLock({ $0 }) {
        case .running: return true
        case .dead: return false
        case .stopped: break
        }
        await withUnsafeContinuation { continuation in
            let mayPass = mode.withLock { mode in
                guard case .stopped(let waiting) = mode else { return true }
                mode = .stopped(waiting + [continuation])
                return false
            }
            if mayPass { continuation.resume() }
        }
        return !isDead
    }

    /// Once the process runs, or is dead.
    func whenPassed(_ action: @escaping @Sendable () -> Void) {
        let isStopped = mode.withLock { mode in
            if case .stopped = mode { true } else { false }
        }
        guard isStopped else { return action() }
        Task {
            _ = await pass()
            action()
        }
    }

    func stop() {
        mode.withLock { mode in
            if case .running = mode { mode = .stopped([]) }
        }
    }

    func resume() {
        end(as: .running)
    }

    func kill() {
        end(as: .dead)
    }

    private func end(as next: Mode) {
        let waiting = mode.withLock { mode in
            switch mode {
            case .running:
                mode = next
                return [UnsafeContinuation<Void, Never>]()
            case .stopped(let waiting):
                mode = next
                return waiting
            case .dead: return []
            }
        }
        for continuation in waiting { continuation.resume() }
    }
}
