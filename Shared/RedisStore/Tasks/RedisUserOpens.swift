import PushModel
import RedisClient
package import Store

/// What the opens of users teach, in Redis: the records of some users share a hash, so that it stays a listpack.
package struct RedisUserOpens: UserOpens {
    static let replace = RedisScript(PackageResources.replace_opens_lua)
    /// A dozen users in each hash if 100,000 users of an app opened pushes, and 8 kilobytes for a million users.
    private static let bucketCount = 8_192

    private struct Place {
        let key: RedisArgument
        let field: RedisArgument

        init(_ user: UserKey) {
            let digest = NameDigest(Array(user.user.value.utf8))
            key = RedisArgument("opens:{\(user.app):\(digest.bucket(of: RedisUserOpens.bucketCount))}")
            field = digest.field
        }
    }

    private let redis: StoreConnection

    package init(_ redis: StoreConnection) {
        self.redis = redis
    }

    package func record(of user: UserKey) async throws(StoreError) -> OpenRecord? {
        OpenRecord(packed: try await read(Place(user)))
    }

    package func update(
        _ user: UserKey, _ change: @Sendable (inout OpenRecord?) -> Void
    ) async throws(StoreError) -> Bool {
        let place = Place(user)
        for _ in 0..<UserOpenBounds.attempts {
            let known = try await read(place)
            let record = OpenRecord(packed: known)
            var next = record
            change(&next)
            if next?.hasOpens == false { next = nil }
            guard next != record else { return false }
            let answer = try await redis.run(
                RedisUserOpens.replace, keys: [place.key],
                arguments: [place.field, RedisArgument(known), RedisArgument(next?.packed ?? [])])
            if answer.integer == 1 { return true }
        }
        return false
    }

    package func forget(_ user: UserKey) async throws(StoreError) {
        let place = Place(user)
        _ = try await redis.send(RedisCommand("HDEL", place.key, place.field))
    }

    /// Empty without a record, which a record is not.
    private func read(_ place: Place) async throws(StoreError) -> [UInt8] {
        try await redis.send(RedisCommand("HGET", place.key, place.field)).bytes ?? []
    }
}
