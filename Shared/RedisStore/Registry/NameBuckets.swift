import PushModel
import RedisClient
import Store

/// One of the small hashes over which names are distributed.
struct NameBucket: Sendable {
    let scope: AppScope
    let kind: BucketKind
    let number: Int

    var key: RedisArgument { RegistryKeys.bucket(scope.app, kind: kind, number: number) }
}

extension NameBucket: Hashable {
    static func == (left: NameBucket, right: NameBucket) -> Bool {
        left.kind == right.kind && left.number == right.number && left.scope.app == right.scope.app
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(number)
    }
}

/// Looks up names in buckets and opens a bucket when its first name is added.
///
/// A missing bucket is either new or lost, and the two must not be confused: a token whose bucket was lost would get a
/// second device. A bucket is therefore created in three steps: begun, noted in the app, confirmed. Nothing is written
/// to it before the third step; a noted bucket that is missing is lost.
struct NameBuckets: Sendable {
    let root: RegistryRoot
    private var redis: StoreConnection { root.redis }

    init(_ root: RegistryRoot) {
        self.root = root
    }

    /// Runs a read-only script; returns nil if the bucket was never opened.
    func read(_ bucket: NameBucket, script: RedisScript, arguments: [RedisArgument]) async throws(StoreError)
        -> RedisValue?
    {
        try await read([(bucket, arguments)], script: script)[0]
    }

    /// The same for many buckets of one app.
    func read(
        _ requests: [(bucket: NameBucket, arguments: [RedisArgument])], script: RedisScript
    ) async throws(StoreError) -> [RedisValue?] {
        var replies = try await redis.run(requests.map { call($0.bucket, script: script, arguments: $0.arguments) })
        let open = try await opened(among: unanswered(requests, replies: replies))
        let late = requests.indices.filter { replies[$0].isNull && open.contains(requests[$0].bucket) }
        let again = try await redis.run(
            late.map { call(requests[$0].bucket, script: script, arguments: requests[$0].arguments) })
        for (position, reply) in zip(late, again) { replies[position] = reply }
        return replies.map { $0.isNull ? nil : $0 }
    }

    /// Runs a script that may write; opens the bucket if necessary. The app must have been entered.
    func write(
        _ bucket: NameBucket, script: RedisScript, arguments: [RedisArgument]
    ) async throws(StoreError) -> RedisValue {
        try await write([(bucket, arguments)], script: script)[0]
    }

    /// The same for many buckets of one app.
    func write(
        _ requests: [(bucket: NameBucket, arguments: [RedisArgument])], script: RedisScript
    ) async throws(StoreError) -> [RedisValue] {
        var replies = try await redis.run(requests.map { call($0.bucket, script: script, arguments: $0.arguments) })
        try await open(unanswered(requests, replies: replies))
        let late = requests.indices.filter { replies[$0].isNull }
        let again = try await redis.run(
            late.map { call(requests[$0].bucket, script: script, arguments: requests[$0].arguments) })
        for (position, reply) in zip(late, again) {
            guard !reply.isNull else { throw lost(requests[position].bucket) }
            replies[position] = reply
        }
        return replies
    }

    private func call(_ bucket: NameBucket, script: RedisScript, arguments: [RedisArgument]) -> ScriptCall {
        ScriptCall(script, keys: [bucket.key], arguments: [RedisArgument(bucket.scope.generation.id)] + arguments)
    }

    /// The buckets that are not open, without duplicates.
    private func unanswered(
        _ requests: [(bucket: NameBucket, arguments: [RedisArgument])], replies: [RedisValue]
    ) -> [NameBucket] {
        var seen: Set<NameBucket> = []
        return zip(requests, replies).compactMap { request, reply in
            reply.isNull && seen.insert(request.bucket).inserted ? request.bucket : nil
        }
    }

    private enum Standing {
        case begun
        case open
    }

    /// The buckets that were opened after the script ran. A bucket that is noted but not confirmed is still empty.
    private func opened(among buckets: [NameBucket]) async throws(StoreError) -> Set<NameBucket> {
        let noted = try await noted(among: buckets)
        let expected = buckets.filter(noted.contains)
        let standings = try await begin(expected) { _ in true }
        return Set(zip(expected, standings).filter { $1 == .open }.map(\.0))
    }

    private func open(_ buckets: [NameBucket]) async throws(StoreError) {
        guard let scope = buckets.first?.scope else { return }
        let noted = try await noted(among: buckets)
        let begun = zip(buckets, try await begin(buckets, isNoted: noted.contains)).filter { $1 == .begun }.map(\.0)
        let id = RedisArgument(scope.generation.id)
        let fields = Dictionary(grouping: begun, by: \.kind)
        _ = try await redis.run(
            fields.map { kind, buckets in
                ScriptCall(
                    RegistryScripts.noteBuckets, keys: [RegistryKeys.app(scope.app)],
                    arguments: [id, field(of: kind)] + buckets.map { RedisArgument($0.number) })
            })
        _ = try await redis.run(
            begun.map { ScriptCall(RegistryScripts.confirmBucket, keys: [$0.key], arguments: [id]) })
    }

    private func begin(
        _ buckets: [NameBucket], isNoted: (NameBucket) -> Bool
    ) async throws(StoreError) -> [Standing] {
        let replies = try await redis.run(
            buckets.map { bucket in
                ScriptCall(
                    RegistryScripts.beginBucket, keys: [bucket.key],
                    arguments: [RedisArgument(bucket.scope.generation.id), isNoted(bucket) ? "1" : "0"])
            })
        var standings: [Standing] = []
        for (bucket, reply) in zip(buckets, replies) {
            switch reply.integer.flatMap({ BucketReplyCode(rawValue: $0) }) {
            case .open: standings.append(.open)
            case .begun: standings.append(.begun)
            case .lost, nil: throw lost(bucket)
            }
        }
        return standings
    }

    /// The buckets that the app's key lists as existing.
    private func noted(among buckets: [NameBucket]) async throws(StoreError) -> Set<NameBucket> {
        guard let scope = buckets.first?.scope else { return [] }
        let kinds = Array(Set(buckets.map(\.kind)))
        guard let fields = try await root.fields(kinds.map { field(of: $0) }, of: scope) else { return [] }
        let bits = Dictionary(uniqueKeysWithValues: zip(kinds, fields.map { $0.bytes ?? [] }))
        return Set(
            buckets.filter { bucket in
                let place = bucket.number / 8
                guard let bytes = bits[bucket.kind], place < bytes.count else { return false }
                return bytes[place] & 1 << UInt8(bucket.number % 8) != 0
            })
    }

    private func field(of kind: BucketKind) -> RedisArgument { RedisArgument("buckets:\(kind.field)") }

    private func lost(_ bucket: NameBucket) -> StoreError {
        redis.notReady("a name bucket of \(bucket.scope.app) is lost; rebuild the registry or restore a backup")
    }
}
