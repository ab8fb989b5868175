import PushModel
import RedisClient
import ServiceKit
import Store
import Synchronization

/// The registry's root key: the current generation, whether it is ready, and its apps.
final class RegistryRoot: Sendable {
    private struct Known {
        let generation: RegistryGeneration
        let notReadyCount: Int
    }

    let redis: StoreConnection
    private let time: any TimeSource
    private let random: any RandomSource
    private let known = Mutex<Known?>(nil)

    init(redis: StoreConnection, time: any TimeSource, random: any RandomSource) {
        self.redis = redis
        self.time = time
        self.random = random
    }

    /// The current generation, if it is ready.
    func ready() async throws(StoreError) -> RegistryGeneration {
        let generation = try await present()
        guard generation.isReady else {
            throw redis.notReady("the registry is being rebuilt")
        }
        return generation
    }

    /// The current generation, ready or being filled.
    private func present() async throws(StoreError) -> RegistryGeneration {
        let count = redis.notReadyCount
        if let known = known.withLock({ $0 }), known.notReadyCount == count { return known.generation }
        guard let generation = try await current() else {
            throw redis.notReady("Redis holds no registry: it is new or has lost its data")
        }
        return known.withLock { known in
            // The caches are kept if the generation has not changed.
            let same = known.map(\.generation).flatMap {
                $0.id == generation.id && $0.isReady == generation.isReady ? $0 : nil
            }
            known = Known(generation: same ?? generation, notReadyCount: count)
            return same ?? generation
        }
    }

    func state() async throws(StoreError) -> RegistryState {
        switch try await current()?.isReady {
        case nil: .absent
        case false: .rebuilding
        case true: .ready
        }
    }

    func current() async throws(StoreError) -> RegistryGeneration? {
        let reply = try await redis.send(
            RedisCommand("HMGET", RegistryKeys.registry, "generation", "state", "alias-buckets"))
        let fields = reply.array ?? []
        guard fields.count == 3, let id = fields[0].string else { return nil }
        guard let buckets = fields[2].integer, buckets > 0 else {
            throw StoreError(.corrupt, message: "invalid data in Redis: `registry` has no valid `alias-buckets`")
        }
        return RegistryGeneration(id: id, isReady: fields[1].string == "ready", aliasBuckets: Int(buckets))
    }

    /// What happens to an existing registry when another is created.
    enum Existing {
        case kept
        case replaced
        /// Kept if it is of another generation.
        case replacedIf(RegistryGeneration)

        fileprivate var argument: RedisArgument {
            switch self {
            case .kept: ""
            case .replaced: "*"
            case .replacedIf(let generation): RedisArgument(generation.id)
            }
        }

        fileprivate func isReplaced(_ generation: String) -> Bool {
            switch self {
            case .kept: false
            case .replaced: true
            case .replacedIf(let replaced): replaced.id == generation
            }
        }
    }

    /// Creates a registry. Returns the offered generation, which is the current one unless an existing one is kept.
    func create(
        _ state: RegistryState, aliasBuckets: Int, existing: Existing
    ) async throws(StoreError) -> RegistryGeneration {
        var after: UInt64 = 0
        while true {
            // Higher than the existing id, even if that was created with a clock that was ahead.
            let id = max(UInt64(clamping: time.now.milliseconds) << 16 | random.next() & 0xFFFF, after + 1)
            let text = id.hexadecimal
            let reply = try await redis.run(
                ScriptCall(
                    RegistryScripts.createRegistry, keys: [RegistryKeys.registry],
                    arguments: [
                        RedisArgument(text), state == .ready ? "ready" : "rebuilding", RedisArgument(aliasBuckets),
                        existing.argument,
                    ]))
            guard let found = reply.string, existing.isReplaced(found) else {
                known.withLock { $0 = nil }
                return RegistryGeneration(id: text, isReady: state == .ready, aliasBuckets: aliasBuckets)
            }
            guard let value = UInt64(found, radix: 16), value < .max else {
                throw StoreError(.corrupt, message: "invalid data in Redis: the registry's generation is \(found)")
            }
            after = value
        }
    }

    func setState(ready generation: RegistryGeneration) async throws(StoreError) {
        _ = try await redis.run(
            ScriptCall(
                RegistryScripts.setRegistryField, keys: [RegistryKeys.registry],
                arguments: [RedisArgument(generation.id), "state", "ready"]))
        known.withLock { $0 = nil }
    }
}

extension RegistryRoot {
    /// The app's fields in the requested order; nil if the app has never been used. Throws if an app that was entered
    /// is missing.
    func fields(_ names: [RedisArgument], of scope: AppScope) async throws(StoreError) -> [RedisValue]? {
        if let values = try await present(names, of: scope) { return values }
        guard try await hasEntered(scope) else { return nil }
        // The first user of the app may have created it between the two reads.
        guard let values = try await present(names, of: scope) else {
            throw redis.notReady("app:\(scope.app) does not belong to the current registry")
        }
        return values
    }

    /// Nil if the app does not exist or belongs to another registry.
    private func present(_ names: [RedisArgument], of scope: AppScope) async throws(StoreError) -> [RedisValue]? {
        let reply = try await redis.send(RedisCommand(["HMGET", RegistryKeys.app(scope.app), "generation"] + names))
        guard let values = reply.array, values.count == names.count + 1 else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode app:\(scope.app)")
        }
        return values[0].string == scope.generation.id ? Array(values.dropFirst()) : nil
    }

    /// Creates the app if it is new. Its key is created before its entry, so that an entry without a key means loss.
    func ensure(_ scope: AppScope) async throws(StoreError) {
        guard !scope.generation.knows(scope.app) else { return }
        if try await !hasEntered(scope) {
            let id = RedisArgument(scope.generation.id)
            _ = try await redis.run(
                ScriptCall(RegistryScripts.createApp, keys: [RegistryKeys.app(scope.app)], arguments: [id]))
            _ = try await redis.run(
                ScriptCall(
                    RegistryScripts.setRegistryField, keys: [RegistryKeys.registry],
                    arguments: [id, RegistryRoot.entry(scope.app), "1"]))
        }
        scope.generation.note(scope.app)
    }

    /// All apps that have ever been used.
    func apps(in generation: RegistryGeneration) async throws(StoreError) -> [AppScope] {
        let reply = try await redis.send(RedisCommand("HKEYS", RegistryKeys.registry))
        let names = (reply.array ?? []).compactMap(\.string).filter { $0.hasPrefix("app:") }.sorted()
        var scopes: [AppScope] = []
        for name in names {
            guard let app = try? AppID(String(name.dropFirst(4))) else { continue }
            scopes.append(AppScope(generation: generation, app: app))
        }
        return scopes
    }

    /// Reads the entry together with the generation: a lost registry has no entries either.
    private func hasEntered(_ scope: AppScope) async throws(StoreError) -> Bool {
        let reply = try await redis.send(
            RedisCommand("HMGET", RegistryKeys.registry, "generation", RegistryRoot.entry(scope.app)))
        guard let values = reply.array, values.count == 2, values[0].string == scope.generation.id else {
            throw redis.notReady("the registry was replaced or lost")
        }
        return !values[1].isNull
    }

    private static func entry(_ app: AppID) -> RedisArgument { RedisArgument("app:\(app)") }
}
