package import PushModel
import RedisClient
package import Store

/// The progress of takeovers in Redis: a key for each app.
package struct RedisTakeoverProgress: TakeoverProgress {
    private let redis: StoreConnection

    package init(_ redis: StoreConnection) {
        self.redis = redis
    }

    package func progress(of app: AppID) async throws(StoreError) -> [UInt8]? {
        try await redis.send(RedisCommand("GET", key(app))).bytes
    }

    package func record(_ progress: [UInt8], of app: AppID) async throws(StoreError) {
        _ = try await redis.send(RedisCommand("SET", key(app), RedisArgument(progress)))
    }

    private func key(_ app: AppID) -> RedisArgument { RedisArgument("takeover:\(app)") }
}
