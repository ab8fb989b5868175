import Synchronization

/// What the simulator announced last, and who has to start anew when it announces something else.
final class SimulatorBoard: Sendable {
    private struct State {
        var facts: SimulatorFacts?
        var senders: [KeptProgram] = []
    }

    private let state = Mutex(State())

    var current: SimulatorFacts? { state.withLock { $0.facts } }

    /// They come after the simulator, and are known later.
    var senders: [KeptProgram] {
        get { state.withLock { $0.senders } }
        set { state.withLock { $0.senders = newValue } }
    }

    /// Answers the former ones.
    func replace(_ new: SimulatorFacts) -> SimulatorFacts? {
        state.withLock { state in
            defer { state.facts = new }
            return state.facts
        }
    }
}
