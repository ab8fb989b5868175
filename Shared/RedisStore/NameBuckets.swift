import PushModel
import RedisClient
import Store

/// One of the small hashes that names are spread over.
struct NameBucket: Sendable {
    let scope: AppScope
    let kind: BucketKind
    let number: Int

    var key: RedisArgument { RegistryKeys.bucket(scope.app, kind, number) }
}

/// Looks names up in buckets, and opens buckets when their first name comes.
///
/// A bucket that is not there is either new or lost, and the two must not be confused: a token whose bucket was lost would
/// get a second device. So a bucket is made in three steps: begun, noted in the app, confirmed. Nothing is put into it
/// before the third, and once it is noted, its absence means loss.
struct NameBuckets: Sendable {
    let root: RegistryRoot
    private var redis: StoreConnection { root.redis }

    init(_ root: RegistryRoot) {
        self.root = root
    }

    /// Runs a script that only reads; nil when the bucket was never opened.
    func read(_ bucket: NameBucket, _ script: RedisScript, _ arguments: [RedisArgument]) async throws(StoreError)
        -> RedisValue?
    {
        try await settle(bucket, try await redis.run(call(bucket, script, arguments)), script, arguments)
    }

    /// The same for many.
    func read(
        _ requests: [(bucket: NameBucket, arguments: [RedisArgument])], _ script: RedisScript
    ) async throws(StoreError) -> [RedisValue?] {
        let replies = try await redis.run(requests.map { call($0.bucket, script, $0.arguments) })
        var values: [RedisValue?] = []
        for (request, reply) in zip(requests, replies) {
            values.append(try await settle(request.bucket, reply, script, request.arguments))
        }
        return values
    }

    /// Runs a script that may write, in a bucket that is opened if need be. The app must have been entered.
    func write(
        _ bucket: NameBucket, _ script: RedisScript, _ arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue {
        try await finish(bucket, try await redis.run(call(bucket, script, arguments)), script, arguments)
    }

    /// The same for many.
    func write(
        _ requests: [(bucket: NameBucket, arguments: [RedisArgument])], _ script: RedisScript
    ) async throws(StoreError) -> [RedisValue] {
        let replies = try await redis.run(requests.map { call($0.bucket, script, $0.arguments) })
        var values: [RedisValue] = []
        for (request, reply) in zip(requests, replies) {
            values.append(try await finish(request.bucket, reply, script, request.arguments))
        }
        return values
    }

    private func call(_ bucket: NameBucket, _ script: RedisScript, _ arguments: [RedisArgument]) -> ScriptCall {
        ScriptCall(script, [bucket.key], [RedisArgument(bucket.scope.generation.id)] + arguments)
    }

    private func settle(
        _ bucket: NameBucket, _ reply: RedisValue, _ script: RedisScript, _ arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue? {
        guard reply.isNull else { return reply }
        guard try await isNoted(bucket) else { return nil }
        switch try await begin(bucket, isNoted: true) {
        case .lost: throw lost(bucket)
        // Noted and not confirmed: nothing was ever put into it.
        case .begun: return nil
        // It was opened between the two questions.
        case .open: return try await redis.run(call(bucket, script, arguments))
        }
    }

    private func finish(
        _ bucket: NameBucket, _ reply: RedisValue, _ script: RedisScript, _ arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue {
        guard reply.isNull else { return reply }
        try await open(bucket)
        let again = try await redis.run(call(bucket, script, arguments))
        guard !again.isNull else { throw lost(bucket) }
        return again
    }

    private enum Standing {
        case lost
        case begun
        case open
    }

    private func open(_ bucket: NameBucket) async throws(StoreError) {
        let isNoted = try await isNoted(bucket)
        switch try await begin(bucket, isNoted: isNoted) {
        case .open: return
        case .lost: throw lost(bucket)
        case .begun: break
        }
        let id = RedisArgument(bucket.scope.generation.id)
        _ = try await redis.run(
            ScriptCall(
                RegistryScripts.noteBucket, [RegistryKeys.app(bucket.scope.app)],
                [id, field(of: bucket), RedisArgument(bucket.number)]))
        _ = try await redis.run(ScriptCall(RegistryScripts.confirmBucket, [bucket.key], [id]))
    }

    private func begin(_ bucket: NameBucket, isNoted: Bool) async throws(StoreError) -> Standing {
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.beginBucket, [bucket.key],
                [RedisArgument(bucket.scope.generation.id), isNoted ? "1" : "0"]))
        switch reply.integer {
        case 2: return .open
        case 1: return .begun
        default: return .lost
        }
    }

    private func isNoted(_ bucket: NameBucket) async throws(StoreError) -> Bool {
        guard let bits = try await root.fields([field(of: bucket)], of: bucket.scope)?.first?.bytes else {
            return false
        }
        let place = bucket.number / 8
        return place < bits.count && bits[place] & 1 << UInt8(bucket.number % 8) != 0
    }

    private func field(of bucket: NameBucket) -> RedisArgument { RedisArgument("buckets:\(bucket.kind.field)") }

    private func lost(_ bucket: NameBucket) -> StoreError {
        redis.notReady("a bucket of \(bucket.scope.app) that was there is lost")
    }
}
