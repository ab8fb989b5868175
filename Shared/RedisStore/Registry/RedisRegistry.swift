import PushModel
import RedisClient
package import ServiceKit
package import Store

/// The registry in Redis. A value; copies share their caches.
///
/// `RegistryKeys` describes the layout, `RedisRegistry+Writes.swift` how changes are applied.
package struct RedisRegistry: Sendable {
    package enum Mode: Sendable {
        /// Redis is the source of truth: a missing registry is a new one.
        case authoritative
        /// The log is the source of truth: a missing registry requires a rebuild.
        case follower
    }

    let root: RegistryRoot
    let names: TopicNames
    let topicSegments: TopicSegments
    let tokens: TokenReservations
    let aliases: AliasLists
    let allocator: SegmentAllocator
    let time: any TimeSource
    let random: any RandomSource
    let aliasBuckets: Int
    /// Nil if changes are written to Redis directly.
    private(set) var journal: (any RegistryJournal)?

    package static let aliasBucketsDefault = 4_096
    /// Maximum number of attempts of an operation that conflicts with another one.
    static let roundsMaximum = 8

    var redis: StoreConnection { root.redis }

    private init(_ redis: StoreConnection, aliasBuckets: Int, time: any TimeSource, random: any RandomSource) {
        root = RegistryRoot(redis: redis, time: time, random: random)
        let buckets = NameBuckets(root)
        names = TopicNames(buckets: buckets)
        topicSegments = TopicSegments(redis: redis)
        tokens = TokenReservations(buckets: buckets)
        aliases = AliasLists(buckets: buckets)
        allocator = SegmentAllocator(root: root, random: random)
        self.time = time
        self.random = random
        self.aliasBuckets = aliasBuckets
    }

    package static func open(
        _ redis: StoreConnection, mode: Mode, log: Log, aliasBuckets: Int = aliasBucketsDefault,
        time: any TimeSource = SystemTimeSource(), random: any RandomSource = SystemRandomSource()
    ) async throws(StoreError) -> RedisRegistry {
        let registry = RedisRegistry(redis, aliasBuckets: aliasBuckets, time: time, random: random)
        if mode == .authoritative { try await registry.createUnlessThere() }
        await RedisLayoutCheck(redis: redis, log: log, isTruth: mode == .authoritative).run()
        return registry
    }

    /// The same registry, with its changes written through the journal.
    package func writing(through journal: any RegistryJournal) -> RedisRegistry {
        var copy = self
        copy.journal = journal
        return copy
    }

    /// Runs an operation; retries it once if the registry was replaced after this process last read its root.
    func within<Value: Sendable>(
        _ app: AppID, operation: (AppScope) async throws -> Value
    ) async throws(StoreError) -> Value {
        let generation = try await root.ready()
        do {
            return try await operation(AppScope(generation: generation, app: app))
        } catch {
            guard let error = error as? StoreError, error.code == .notReady else { throw StoreError(any: error) }
            let newer = try await root.ready()
            guard newer.id != generation.id else { throw error }
            do {
                return try await operation(AppScope(generation: newer, app: app))
            } catch {
                throw StoreError(any: error)
            }
        }
    }

    var now: UInt32 { UInt32(clamping: time.now.milliseconds / 1_000) }

    /// Nil if the index cannot exist: indices are allocated only in counted segments.
    func read(_ index: DeviceIndex, in scope: AppScope) async throws(StoreError) -> StoredDevice? {
        guard try await exists(index.segment, in: scope) else { return nil }
        let stored = try StoredDevice(try await redis.run(readCall(index, in: scope)))
        return try await finishPurges(of: stored, at: index, in: scope)
    }

    /// The same for many indices, in their order; their subscriptions may contain some that a purge has ended.
    func read(_ indices: [DeviceIndex], in scope: AppScope) async throws(StoreError) -> [StoredDevice?] {
        var calls: [ScriptCall] = []
        var places: [Int?] = []
        for index in indices {
            let exists = try await exists(index.segment, in: scope)
            places.append(exists ? calls.count : nil)
            if exists { calls.append(readCall(index, in: scope)) }
        }
        let replies = try await redis.run(calls)
        var devices: [StoredDevice?] = []
        for place in places {
            guard let place else {
                devices.append(nil)
                continue
            }
            devices.append(try StoredDevice(replies[place]))
        }
        return devices
    }

    func exists(_ segment: SegmentNumber, in scope: AppScope) async throws(StoreError) -> Bool {
        if segment.rawValue < scope.generation.segments.count(of: scope.app) { return true }
        return segment.rawValue < (try await allocator.count(in: scope))
    }

    func readCall(_ index: DeviceIndex, in scope: AppScope) -> ScriptCall {
        let keys = SegmentKeys(scope.segment(index.segment))
        let bucket = SegmentKeys.bucket(of: index.offset)
        return ScriptCall(
            RegistryScripts.readDevice,
            keys: [keys.header, keys.devices(bucket), keys.subscriptions(bucket), keys.badges(bucket)],
            arguments: [RedisArgument(scope.generation.id), RedisArgument(SegmentKeys.field(of: index.offset))])
    }
}

extension StoreError {
    /// Restores the type of an error thrown by a closure, which the compiler has lost.
    init(any error: any Error) {
        self = error as? StoreError ?? StoreError(.unavailable, message: "\(error)")
    }
}
