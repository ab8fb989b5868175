package import Store
import Synchronization

/// A witness that says what a test lets it say.
package final class ScriptedWitness: LedgerWitness {
    private let state = Mutex(LedgerEpoch.first)

    package init() {}

    package var epoch: LedgerEpoch { state.withLock { $0 } }

    package func say(_ epoch: LedgerEpoch) {
        state.withLock { $0 = epoch }
    }
}
