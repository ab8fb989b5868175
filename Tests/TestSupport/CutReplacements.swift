package import PushModel
package import ServiceKit
package import Store
import Synchronization

/// Replacements that may crash before or after a change, and where another process may run before any step.
package struct CutReplacements: TaskReplacements {
    /// Something that happens once, before the call with this number.
    package final class Interruption: Sendable {
        private let left: Mutex<Int?>
        private let action: @Sendable () async throws -> Void

        package init(before call: Int, _ action: @escaping @Sendable () async throws -> Void) {
            left = Mutex(call)
            self.action = action
        }

        package var hasHappened: Bool { left.withLock { $0 == nil } }

        func pass() async throws(StoreError) {
            let isNow = left.withLock { left -> Bool in
                guard let count = left else { return false }
                left = count == 0 ? nil : count - 1
                return count == 0
            }
            guard isNow else { return }
            do {
                try await action()
            } catch {
                throw StoreError(.corrupt, message: "the interruption failed: \(error)")
            }
        }
    }

    private let replacements: any TaskReplacements
    private let scissors: Scissors
    private let interruption: Interruption?

    package init(_ replacements: any TaskReplacements, scissors: Scissors, interruption: Interruption? = nil) {
        self.replacements = replacements
        self.scissors = scissors
        self.interruption = interruption
    }

    private func around<Result>(_ change: () async throws(StoreError) -> Result) async throws(StoreError) -> Result {
        try await interruption?.pass()
        return try await scissors.around(change)
    }

    package func pointer(of key: ReplacementKey) async throws(StoreError) -> ReplacementPointer? {
        try await interruption?.pass()
        return try await replacements.pointer(of: key)
    }

    package func set(_ pointer: ReplacementPointer, of key: ReplacementKey) async throws(StoreError) -> Bool {
        try await around { () async throws(StoreError) in try await replacements.set(pointer, of: key) }
    }

    package func stage(_ content: [UInt8], of task: TaskID, for life: Duration) async throws(StoreError) {
        try await around { () async throws(StoreError) in try await replacements.stage(content, of: task, for: life) }
    }

    package func staged(_ task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await interruption?.pass()
        return try await replacements.staged(task)
    }

    package func unstage(_ task: TaskID, after life: Duration) async throws(StoreError) {
        try await around { () async throws(StoreError) in try await replacements.unstage(task, after: life) }
    }

    package func note(_ task: TaskID, replacedBy successor: TaskID) async throws(StoreError) {
        try await around { () async throws(StoreError) in try await replacements.note(task, replacedBy: successor) }
    }

    package func successor(of task: TaskID) async throws(StoreError) -> TaskID? {
        try await replacements.successor(of: task)
    }

    package func enter(_ swap: TaskSwap, due: Timestamp) async throws(StoreError) {
        try await around { () async throws(StoreError) in try await replacements.enter(swap, due: due) }
    }

    package func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [SwapLease] {
        try await replacements.take(upTo: count, for: lease)
    }

    package func remove(_ swap: TaskSwap) async throws(StoreError) {
        try await around { () async throws(StoreError) in try await replacements.remove(swap) }
    }

    package func finish(_ lease: SwapLease) async throws(StoreError) {
        try await around { () async throws(StoreError) in try await replacements.finish(lease) }
    }
}
