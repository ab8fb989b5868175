import Synchronization

/// Admits handlers of a process: any number of ordinary ones, or a single one that must be alone. In the order in which they
/// ask, so that neither kind starves.
///
/// Shared by all workers of a process. Waiting does not end with a cancellation: handlers that are cancelled leave, which
/// admits those that wait.
package final class HandlingGate: Sendable {
    private struct Waiter {
        let isAlone: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var inside = 0
        var isClosed = false
        /// At most as many as there are workers.
        var waiting = Queue<Waiter>()

        /// Whether one more may enter, counting it if so.
        mutating func admit(alone: Bool) -> Bool {
            guard !isClosed, !alone || inside == 0 else { return false }
            inside += 1
            isClosed = alone
            return true
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// How many handlers wait to be admitted.
    package var waiting: Int { state.withLock { $0.waiting.count } }

    package func enter(alone: Bool) async {
        await withCheckedContinuation { continuation in
            let isAdmitted = state.withLock { state in
                if state.waiting.isEmpty, state.admit(alone: alone) { return true }
                state.waiting.append(Waiter(isAlone: alone, continuation: continuation))
                return false
            }
            if isAdmitted { continuation.resume() }
        }
    }

    package func leave() {
        let admitted = state.withLock { state in
            state.inside -= 1
            state.isClosed = false
            var admitted: [Waiter] = []
            while let next = state.waiting.first, state.admit(alone: next.isAlone) {
                state.waiting.popFirst()
                admitted.append(next)
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume() }
    }
}
