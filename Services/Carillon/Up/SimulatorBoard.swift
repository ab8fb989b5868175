import JSONKit
import Synchronization

/// The simulator's last announcement, the providers that are not simulated, and the senders to restart when one of
/// them changes.
final class SimulatorBoard: Sendable {
    private struct State {
        var facts: SimulatorFacts?
        var real = RealProviders.none
        var senders: [KeptProgram] = []
    }

    private let state = Mutex(State())

    var current: SimulatorFacts? { state.withLock { $0.facts } }

    /// Variables that make a service use the simulator.
    func variables(of service: String) -> [String: String] {
        state.withLock { state in
            state.facts.map { state.real.removed(from: $0.variables(of: service)) } ?? [:]
        }
    }

    /// The simulator's credentials for the providers that are simulated.
    func credentials(_ facts: SimulatorFacts) -> JSONObject {
        let real = state.withLock { $0.real }
        return JSONObject((facts.providers.object?.members ?? []).filter { !real.names.contains($0.0) })
    }

    /// Returns the former ones.
    func replace(_ real: RealProviders) -> RealProviders {
        state.withLock { state in
            defer { state.real = real }
            return state.real
        }
    }

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
