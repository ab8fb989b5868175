import PushModel
import ServiceKit
import Store

struct SimulatedPushPacing: PushPacing {
    let base: any PushPacing
    let seam: Seam

    func reserve(_ count: Int, as name: String, of task: TaskID, at rate: PushRate) async throws(StoreError)
        -> Timestamp?
    {
        if seam.world.bug == .rateForgotten { return seam.clock.now }
        return try await seam.call("pacing.reserve") { try await base.reserve(count, as: name, of: task, at: rate) }
    }

    func take(_ count: Int, at rate: PushRate) async throws(StoreError) -> TakenSlots {
        if seam.world.bug == .rateForgotten { return TakenSlots(count: count, wait: .zero) }
        return try await seam.call("pacing.take") { try await base.take(count, at: rate) }
    }
}
