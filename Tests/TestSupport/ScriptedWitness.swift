package import Store
import Synchronization

/// A witness whose epoch is set by a test.
package final class ScriptedWitness: LedgerWitness {
    private let state = Mutex(LedgerEpoch.first)

    package init() {}

    package var epoch: LedgerEpoch { state.withLock { $0 } }

    package func say(_ epoch: LedgerEpoch) {
        state.withLock { $0 = epoch }
    }
}
