import Synchronization

/// Simulates a crash at the n-th step of the code under test.
package final class Scissors: Sendable {
    private struct State {
        var left: Int?
        var count = 0
        var hasCut = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Number of steps since creation.
    package var count: Int { state.withLock { $0.count } }
    /// True if a step was cut off since the last `cut`.
    package var hasCut: Bool { state.withLock { $0.hasCut } }

    /// Lets `steps` further steps pass and cuts off all later ones; nil lets every step pass.
    package func cut(after steps: Int?) {
        state.withLock { state in
            state.left = steps
            state.hasCut = false
        }
    }

    /// Counts this step; true if it is cut off.
    package func isCut() -> Bool {
        state.withLock { state in
            state.count += 1
            guard let left = state.left else { return false }
            if left == 0 { state.hasCut = true } else { state.left = left - 1 }
            return left == 0
        }
    }
}
