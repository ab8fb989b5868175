import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The keys in Redis: one hash each, which expires.
package struct RedisIdempotencyStore: IdempotencyStore {
    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all users of a key share.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func begin(
        _ request: IdempotentRequest, for lease: Duration
    ) async throws(StoreError) -> IdempotencyVerdict {
        let answer = try await run(
            RedisIdempotencyStore.begin, request: request,
            arguments: RedisArgument(lease.wholeMilliseconds),
            RedisArgument(IdempotencyBounds.retention.wholeMilliseconds))
        switch (answer.array?.first?.integer, answer.array?.last) {
        case (0, let began?):
            guard let milliseconds = began.integer else { break }
            return .begun(Timestamp(milliseconds: milliseconds))
        case (1, _): return .inProgress
        case (2, _): return .otherRequest
        case (3, let kept?):
            guard let bytes = kept.bytes else { break }
            return .answered(bytes)
        default: break
        }
        throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode an idempotency key")
    }

    package func finish(_ request: IdempotentRequest, answer: [UInt8]) async throws(StoreError) {
        _ = try await run(RedisIdempotencyStore.finish, request: request, arguments: RedisArgument(answer))
    }

    package func release(_ request: IdempotentRequest) async throws(StoreError) {
        _ = try await run(RedisIdempotencyStore.release, request: request)
    }

    private func run(
        _ script: RedisScript, request: IdempotentRequest, arguments: RedisArgument...
    ) async throws(StoreError) -> RedisValue {
        try await redis.run(
            script, keys: [RedisArgument("request:{\(Base64URL.encode(request.key))}")],
            arguments: [
                time.map { RedisArgument($0.now.milliseconds) } ?? "", RedisArgument(request.fingerprint),
                RedisArgument(String(request.holder)),
            ] + arguments)
    }

    /// ARGV now, fingerprint, holder, lease and retention in milliseconds. This is the only script that begins
    /// something, and so the only one that a full server refuses.
    private static let begin = RedisScript(
        "#!lua\n" + RedisClock.script + """
            local kept = redis.call('HMGET', KEYS[1], 'request', 'holder', 'end', 'began', 'answer')
            if kept[1] and now >= kept[4] + ARGV[5] then
              redis.call('DEL', KEYS[1])
              kept = {}
            end
            if not kept[1] then
              redis.call('HSET', KEYS[1], 'request', ARGV[2], 'holder', ARGV[3], 'end', now + ARGV[4], 'began', now)
              redis.call('PEXPIRE', KEYS[1], ARGV[5])
              return {0, now}
            end
            if kept[1] ~= ARGV[2] then return {2} end
            if kept[5] then return {3, kept[5]} end
            if kept[2] ~= ARGV[3] and tonumber(kept[3]) > now then return {1} end
            redis.call('HSET', KEYS[1], 'holder', ARGV[3], 'end', now + ARGV[4])
            return {0, tonumber(kept[4])}
            """)

    /// An answered key is kept for a day; its holder is no longer needed.
    private static let finish = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('HGET', KEYS[1], 'request') == ARGV[2] then
          redis.call('HSETNX', KEYS[1], 'answer', ARGV[4])
          redis.call('HDEL', KEYS[1], 'holder', 'end')
        end
        """)

    private static let release = RedisScript(
        """
        #!lua flags=allow-oom
        if redis.call('HGET', KEYS[1], 'holder') == ARGV[3] then redis.call('HSET', KEYS[1], 'end', 0) end
        """)
}
