import Synchronization

/// The simulator's last announcement, and the senders to restart when it changes.
final class SimulatorBoard: Sendable {
    private struct State {
        var facts: SimulatorFacts?
        var senders: [KeptProgram] = []
    }

    private let state = Mutex(State())

    var current: SimulatorFacts? { state.withLock { $0.facts } }

    /// Set later, since the senders are created after the simulator.
    var senders: [KeptProgram] {
        get { state.withLock { $0.senders } }
        set { state.withLock { $0.senders = newValue } }
    }

    /// Returns the former facts.
    func replace(_ new: SimulatorFacts) -> SimulatorFacts? {
        state.withLock { state in
            defer { state.facts = new }
            return state.facts
        }
    }
}
