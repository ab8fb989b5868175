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

    /// The generation in use; nil while none is ready.
    var readyGeneration: Int? { state.withLock { $0.isReady ? $0.generation : nil } }

    func check() throws(StoreError) {
        guard isReady else { throw StoreError(.notReady, message: "the registry is being rebuilt") }
    }

    /// Returns the number of the rebuild; earlier ones end.
    func beginRebuild() -> Int {
        state.withLock { state in
            state.isReady = false
            state.generation += 1
            return state.generation
        }
    }

    /// Takes it out of use, unless a rebuild has filled it meanwhile.
    func retire(_ generation: Int) {
        state.withLock { state in
            guard state.isReady, state.generation == generation else { return }
            state.isReady = false
            state.generation += 1
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
