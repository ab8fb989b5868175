import MemoryStore
import PushModel
import ServiceKit
import Store

extension SimulatedRegistry: Activities {
    func save(_ record: ActivityRecord?, as fact: ActivityFact, in space: AppID) async throws(StoreError) {
        try await seam.call("registry.save") {
            if seam.seam.world.bug == .activityEndForgotten, fact.kind == .end, record != nil { return }
            try await base.save(record, as: fact, in: space)
        }
    }

    func activities(after last: ActivityPlace?, limit: Int, in space: AppID) async throws(StoreError) -> [ActivityPlace]
    {
        try await seam.call("registry.activities") { try await base.activities(after: last, limit: limit, in: space) }
    }

    func oldest(after last: ActivityPlace?, limit: Int, in space: AppID) async throws(StoreError) -> [ActivityPlace] {
        try await seam.call("registry.oldest") { try await base.oldest(after: last, limit: limit, in: space) }
    }

    func replace(_ clock: ActivityClock, by next: ActivityClock?, of activity: ActivityID, in space: AppID)
        async throws(StoreError) -> Bool
    {
        try await seam.call("registry.replace") {
            if seam.seam.world.bug == .activityClockStands, seam.seam.chance(20) { return true }
            return try await base.replace(clock, by: next, of: activity, in: space)
        }
    }
}
