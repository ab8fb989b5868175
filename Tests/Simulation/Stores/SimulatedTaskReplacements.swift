import PushModel
import ServiceKit
import Store

struct SimulatedTaskReplacements: TaskReplacements {
    let base: any TaskReplacements
    let seam: Seam

    func pointer(of key: ReplacementKey) async throws(StoreError) -> ReplacementPointer? {
        try await seam.call("replacements.pointer") { try await base.pointer(of: key) }
    }

    func set(_ pointer: ReplacementPointer, of key: ReplacementKey) async throws(StoreError) -> Bool {
        try await seam.call("replacements.set") { try await base.set(pointer, of: key) }
    }

    func stage(_ content: [UInt8], of task: TaskID, for life: Duration) async throws(StoreError) {
        try await seam.call("replacements.stage") { try await base.stage(content, of: task, for: life) }
    }

    func staged(_ task: TaskID) async throws(StoreError) -> [UInt8]? {
        try await seam.call("replacements.staged") { try await base.staged(task) }
    }

    func unstage(_ task: TaskID, after life: Duration) async throws(StoreError) {
        try await seam.call("replacements.unstage") { try await base.unstage(task, after: life) }
    }

    func note(_ task: TaskID, replacedBy successor: TaskID) async throws(StoreError) {
        try await seam.call("replacements.note") { try await base.note(task, replacedBy: successor) }
    }

    func successor(of task: TaskID) async throws(StoreError) -> TaskID? {
        try await seam.call("replacements.successor") { try await base.successor(of: task) }
    }

    func enter(_ swap: TaskSwap, due: Timestamp) async throws(StoreError) {
        try await seam.call("replacements.enter") { try await base.enter(swap, due: due) }
    }

    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [SwapLease] {
        try await seam.call("replacements.take") { try await base.take(upTo: count, for: lease) }
    }

    func remove(_ swap: TaskSwap) async throws(StoreError) {
        try await seam.call("replacements.remove") { try await base.remove(swap) }
    }

    func finish(_ lease: SwapLease) async throws(StoreError) {
        try await seam.call("replacements.finish") { try await base.finish(lease) }
    }
}
