import PushModel
import ServiceKit
import Store

extension Registry {
    /// Counts a failure of a new task.
    func countFailure(of id: DeviceID, limit: Int, in app: AppID) async throws(StoreError) -> FailureVerdict {
        let random = SystemRandomSource()
        return try await countFailure(
            of: id, by: TaskID(high: random.next(), low: random.next()), limit: limit, in: app)
    }
}
