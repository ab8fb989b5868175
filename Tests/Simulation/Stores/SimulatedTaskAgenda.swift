import MemoryStore
import PushModel
import ServiceKit
import Store

struct SimulatedTaskAgenda: TaskAgenda {
    let base: any TaskAgenda
    let seam: Seam

    func enter(_ task: TaskID, due: Timestamp) async throws(StoreError) {
        try await seam.call("agenda.enter") { try await base.enter(task, due: due) }
    }

    func take(upTo count: Int, for lease: Duration) async throws(StoreError) -> [TaskID] {
        if seam.mayLookInPassing, !seam.world.agenda.hasDue { return [] }
        let tasks = try await seam.call("agenda.take") { try await base.take(upTo: count, for: lease) }
        if seam.world.bug == .agendaLeftEarly { for task in tasks { try await base.finish(task) } }
        return tasks
    }

    func postpone(_ task: TaskID, until due: Timestamp) async throws(StoreError) {
        try await seam.call("agenda.postpone") { try await base.postpone(task, until: due) }
    }

    func finish(_ task: TaskID) async throws(StoreError) {
        try await seam.call("agenda.finish") { try await base.finish(task) }
    }

    func count() async throws(StoreError) -> Int {
        if seam.mayLookInPassing { return try await base.count() }
        return try await seam.call("agenda.count") { try await base.count() }
    }
}
