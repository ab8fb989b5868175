package import PushModel
package import ServiceKit
package import Store

extension Samples {
    package static func plan(
        _ app: AppID, until deadline: Timestamp, jobs: Int = 1, isFast: Bool = false
    ) -> TaskPlan {
        TaskPlan(app: app, jobs: jobs, isFast: isFast, deadline: deadline, policy: .atLeastOnce)
    }
}

extension Registry {
    /// Registers the tokens with these numbers; returns the ids of their devices, in the same order.
    package func registerSamples(
        _ numbers: Range<Int>, changes: DeviceChanges = DeviceChanges(), in app: AppID
    ) async throws -> [DeviceID] {
        var ids: [DeviceID] = []
        for number in numbers {
            ids.append(try await register(Samples.token(number), changes: changes, in: app).registered.id)
        }
        return ids
    }
}
