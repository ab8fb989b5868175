import MemoryStore
import PushModel
import ServiceKit
import Store

struct SimulatedTaskAgenda: TaskAgenda {
    let base: MemoryTaskAgenda
    let seam: Seam

    func enter(_ task: TaskID, due: Timestamp) async throws(StoreError) {
        try await seam.call("agenda.enter") { base.enter(task, due: due) }
    }

    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID] {
        if seam.mayLookInPassing, !base.hasDue { return [] }
        let tasks = try await seam.call("agenda.take") { base.take(upTo: count, for: lease) }
        if seam.world.bug == .agendaLeftEarly { for task in tasks { base.finish(task) } }
        return tasks
    }

    func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError) {
        try await seam.call("agenda.postpone") { base.postpone(task, until: due) }
    }

    func finish(_ task: TaskID) async throws(StoreError) {
        try await seam.call("agenda.finish") { base.finish(task) }
    }

    func count() async throws(StoreError) -> Int {
        if seam.mayLookInPassing { return base.count() }
        return try await seam.call("agenda.count") { base.count() }
    }
}
