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
        _ request: IdempotentRequest, at now: Timestamp, for lease: Duration
    ) async throws(StoreError) -> IdempotencyVerdict {
        let answer = try await run(
            RedisIdempotencyStore.begin, request: request,
            arguments: RedisArgument(lease.wholeMilliseconds),
            RedisArgument(IdempotencyBounds.retention.wholeMilliseconds), RedisArgument(now.milliseconds))
        let values = (answer.array ?? [])[...]
        switch values.first?.integer.flatMap({ RequestReplyCode(rawValue: $0) }) {
        case .begun?:
            let times = values.dropFirst().compactMap(\.integer).map { Timestamp(milliseconds: $0) }
            guard times.count == 2 else { break }
            return .begun(RequestStart(began: times[0], accepted: times[1]))
        case .inProgress?: return .inProgress
        case .other?: return .otherRequest
        case .answered?:
            guard let bytes = values.last?.bytes else { break }
            return .answered(bytes)
        default: break
        }
        throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode an idempotency key")
    }

    package func finish(
        _ request: IdempotentRequest, answer: [UInt8], until end: Timestamp?
    ) async throws(StoreError) {
        _ = try await run(
            RedisIdempotencyStore.finish, request: request,
            arguments: RedisArgument(answer), end.map { RedisArgument($0.milliseconds) } ?? "")
    }

    package func release(_ request: IdempotentRequest) async throws(StoreError) {
        _ = try await run(RedisIdempotencyStore.release, request: request)
    }

    package func forget(_ request: IdempotentRequest) async throws(StoreError) {
        _ = try await run(RedisIdempotencyStore.forget, request: request)
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

    static let begin = RedisScript(PackageResources.begin_request_lua, using: .clock, .requestReplies)

    static let finish = RedisScript(PackageResources.finish_request_lua)

    static let release = RedisScript(PackageResources.release_request_lua)

    static let forget = RedisScript(PackageResources.forget_request_lua)
}
