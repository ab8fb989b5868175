package import PushModel
package import ServiceKit
package import Store
import Synchronization

/// Replacements in memory. Nothing but pointers expires here.
package final class MemoryTaskReplacements: TaskReplacements, Revertible {
    private struct State {
        var pointers: [ReplacementKey: ReplacementPointer] = [:]
        var staged: [TaskID: [UInt8]] = [:]
        var successors: [TaskID: TaskID] = [:]
        var swaps: [TaskSwap: Timestamp] = [:]
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    package init(time: any TimeSource) {
        self.time = time
    }

    package func pointer(of key: ReplacementKey) -> ReplacementPointer? {
        let now = time.now
        return state.withLock { state in
            if let end = state.pointers[key]?.end, end <= now { state.pointers[key] = nil }
            return state.pointers[key]
        }
    }

    package func set(_ pointer: ReplacementPointer, of key: ReplacementKey) -> Bool {
        let known = self.pointer(of: key)
        return state.withLock { state in
            guard known == state.pointers[key], known?.generation ?? 0 == pointer.generation else { return false }
            state.pointers[key] = ReplacementPointer(
                generation: pointer.generation + 1, current: pointer.current, cancelling: pointer.cancelling,
                end: pointer.end)
            return true
        }
    }

    package func stage(_ content: [UInt8], of task: TaskID, for life: Duration) {
        state.withLock { $0.staged[task] = content }
    }

    package func staged(_ task: TaskID) -> [UInt8]? {
        state.withLock { $0.staged[task] }
    }

    package func unstage(_ task: TaskID, after life: Duration) {
        guard life <= .zero else { return }
        state.withLock { $0.staged[task] = nil }
    }

    package func note(_ task: TaskID, replacedBy successor: TaskID) {
        state.withLock { state in
            if state.successors[task] == nil { state.successors[task] = successor }
        }
    }

    package func successor(of task: TaskID) -> TaskID? {
        state.withLock { $0.successors[task] }
    }

    package func enter(_ swap: TaskSwap, due: Timestamp) {
        state.withLock { $0.swaps[swap] = due }
    }

    package func take(upTo count: Int, for lease: Duration) -> [SwapLease] {
        let now = time.now
        return state.withLock { state in
            let due = state.swaps.filter { $0.value <= now }.sorted { $0.value < $1.value }.prefix(count).map(\.key)
            for swap in due { state.swaps[swap] = now + lease }
            return due.map { SwapLease($0, until: now + lease) }
        }
    }

    package func remove(_ swap: TaskSwap) {
        state.withLock { $0.swaps[swap] = nil }
    }

    package func finish(_ lease: SwapLease) {
        state.withLock { state in
            if state.swaps[lease.swap] == lease.end { state.swaps[lease.swap] = nil }
        }
    }

    /// Swaps that are not finished.
    package var count: Int { state.withLock { $0.swaps.count } }

    package func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
