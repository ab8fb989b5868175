import ServiceKit

/// Simulates a process that dies at a step chosen by a test, and does nothing after it.
final class Lifeline: Sendable {
    fileprivate struct State {
        var steps = 0
        var last: Int?
    }

    private let state = Monitor(State())

    /// Number of steps since the last `begin`.
    var steps: Int { state.withLock { $0.steps } }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// Counts a step; false when the process is dead and must not do it.
    func step() -> Bool {
        state.change { state in
            if state.isDead { return false }
            state.steps += 1
            return true
        }
    }

    /// Lets the process do `steps` more steps and then die.
    func end(after steps: Int) {
        state.change { $0.last = $0.steps + steps }
    }

    func begin() {
        state.change { $0 = State() }
    }
}

extension Lifeline.State {
    fileprivate var isDead: Bool { last.map { steps >= $0 } ?? false }
}
