import ServiceKit

/// A process that dies at a step of a test's choice, and does nothing after it.
final class Lifeline: Sendable {
    fileprivate struct State {
        var steps = 0
        var last: Int?
    }

    private let state = Monitor(State())

    /// Since the last birth.
    var steps: Int { state.withLock { $0.steps } }
    var isDead: Bool { state.withLock { $0.isDead } }

    /// False when the process is dead: the step is not done.
    func step() -> Bool {
        state.change { state in
            if state.isDead { return false }
            state.steps += 1
            return true
        }
    }

    /// It does so many steps more, and then dies.
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
