import Synchronization

/// Cuts somebody off at the n-th step.
package final class Scissors: Sendable {
    private struct State {
        var left: Int?
        var count = 0
        var hasCut = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Steps made since it was made.
    package var count: Int { state.withLock { $0.count } }
    /// Since it was last set.
    package var hasCut: Bool { state.withLock { $0.hasCut } }

    /// Lets so many steps through from now on and cuts off whatever follows; nil lets all of them through.
    package func cut(after steps: Int?) {
        state.withLock { state in
            state.left = steps
            state.hasCut = false
        }
    }

    /// Whether this step is cut off.
    package func isCut() -> Bool {
        state.withLock { state in
            state.count += 1
            guard let left = state.left else { return false }
            if left == 0 { state.hasCut = true } else { state.left = left - 1 }
            return left == 0
        }
    }
}
