package import PushModel
import RedisClient
package import Store

/// The clocks of Live Activities for senders, which have no registry. Between a loss of the registry and the end of its
/// rebuild there may be none, or one of before.
package struct RedisActivityClocks: ActivityClocks {
    private let redis: StoreConnection

    package init(_ redis: StoreConnection) {
        self.redis = redis
    }

    package func clock(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityClock {
        let keys = SegmentKeys(SegmentID(space, number: RegistryChange.ofApp.segment))
        let reply = try await redis.send(RedisCommand("HGET", keys.activityClocks, RedisArgument(activity.text)))
        return try RedisActivityClocks.clock(reply)
    }

    /// A new one if there is none.
    static func clock(_ value: RedisValue) throws(StoreError) -> ActivityClock {
        guard let bytes = value.bytes else { return ActivityClock() }
        guard let clock = ActivityClock(packed: bytes) else {
            throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode the clock of an activity")
        }
        return clock
    }
}
