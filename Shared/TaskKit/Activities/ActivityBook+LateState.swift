package import PushModel
package import Store
package import TaskModel

extension ActivityBook {
    /// The task that sends the newest state to a token or a channel that was registered after its publication; nil if no
    /// state was published. A publication that begins after the registration reaches it; one before may not.
    package func lateState(
        of id: ActivityID, to endpoint: DeviceID, in space: AppID
    ) async throws(StoreError) -> PushTask? {
        let clock = try await clock(of: id, in: space)
        guard let current = clock.current, let state = ActivityState(decoding: clock.content) else { return nil }
        let end = try await activity(id, in: space)?.end
        return .lateState(
            .lateState(current.stamp, for: endpoint), for: endpoint, state: state, isEnd: end?.stamp == state.stamp,
            as: current, of: id, in: space, created: now)
    }
}
