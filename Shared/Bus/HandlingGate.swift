import ServiceKit
import Synchronization

/// Admits handlers of a process: any number of ordinary ones, or a single exclusive one. First come, first served, so
/// that neither kind starves.
///
/// Shared by all workers of a process. A cancellation does not end a wait: cancelled handlers leave, which admits the
/// waiting ones.
package final class HandlingGate: Sendable {
    private struct Waiter {
        let isAlone: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var inside = 0
        var isClosed = false
        /// At most one for each worker.
        var waiting = Queue<Waiter>()

        /// Admits and counts one more handler, if possible; returns whether it did.
        mutating func admit(alone: Bool) -> Bool {
            guard !isClosed, !alone || inside == 0 else { return false }
            inside += 1
            isClosed = alone
            return true
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Number of handlers that wait for admission.
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
