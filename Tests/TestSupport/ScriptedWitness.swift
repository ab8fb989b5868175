package import Store
import Synchronization

/// A witness whose epoch is set by a test.
package final class ScriptedWitness: LedgerWitness {
    private struct State {
        var epoch = LedgerEpoch.first
        var unnoticed: LedgerEpoch?
    }

    private let state = Mutex(State())

    package init() {}

    package var epoch: LedgerEpoch { state.withLock { $0.epoch } }

    /// `atTick`: the epoch has begun, and the process has not noticed it yet.
    package func say(_ epoch: LedgerEpoch, atTick: Bool = false) {
        state.withLock { $0 = atTick ? State(epoch: $0.epoch, unnoticed: epoch) : State(epoch: epoch) }
    }

    package func tick() {
        state.withLock { $0 = State(epoch: $0.unnoticed ?? $0.epoch) }
    }
}
