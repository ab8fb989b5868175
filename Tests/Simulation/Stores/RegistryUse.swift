import Store
import Synchronization

/// Whether the registry may be used: not while a rebuild fills it, or needs to. Its data does not go back with that of
/// the other stores, and a rebuild leaves it: in the product its own log refills it.
final class RegistryUse: Sendable {
    private struct State {
        var isReady = true
        var generation = 1
    }

    private let state = Mutex(State())

    var isReady: Bool { state.withLock { $0.isReady } }

    func check() throws(StoreError) {
        guard isReady else { throw StoreError(.notReady, message: "the registry is being rebuilt") }
    }

    /// Returns the number of the rebuild; earlier ones end.
    @discardableResult
    func beginRebuild() -> Int {
        state.withLock { state in
            state.isReady = false
            state.generation += 1
            return state.generation
        }
    }

    func check(_ generation: Int) throws(StoreError) {
        guard state.withLock({ $0.generation == generation }) else {
            throw StoreError(.notReady, message: "another rebuild has begun")
        }
    }

    func finish(_ generation: Int) throws(StoreError) {
        try check(generation)
        state.withLock { $0.isReady = true }
    }
}
