import PushModel
import RedisClient
package import ServiceKit
package import Store

/// Outages in Redis: one hash with a field for each route. There are few, so one slot is enough.
package struct RedisProviderOutages: ProviderOutages {
    private static let key: RedisArgument = "outages"
    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all processes share.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func read() async throws(StoreError) -> [ProviderRoute: Duration] {
        let answer = try await run(ProviderOutageScripts.read, arguments: [])
        guard let parts = answer.array else { throw unreadable }
        var outages: [ProviderRoute: Duration] = [:]
        for place in stride(from: 0, to: parts.count - 1, by: 2) {
            // This version does not send to providers that only a later version supports.
            guard let route = parts[place].string.flatMap({ ProviderRoute(field: $0) }) else { continue }
            outages[route] = .milliseconds(Int64(parts[place + 1].integer ?? 0))
        }
        return outages
    }

    package func extend(
        _ route: ProviderRoute, by pauses: OutagePauses, jitter: Double, isProbe: Bool
    ) async throws(StoreError) -> Duration {
        let answer = try await run(
            ProviderOutageScripts.extend,
            arguments: [
                route.field, RedisArgument(pauses.first.wholeMilliseconds),
                RedisArgument(pauses.longest.wholeMilliseconds), RedisArgument(Int(jitter * 1_000)),
                RedisArgument(isProbe ? 1 : 0),
            ])
        guard let left = answer.integer else { throw unreadable }
        return .milliseconds(Int64(left))
    }

    package func probe(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> ProbeVerdict {
        let answer = try await run(
            ProviderOutageScripts.probe, arguments: [route.field, RedisArgument(lease.wholeMilliseconds)])
        guard let left = answer.integer else { throw unreadable }
        switch ProbeReplyCode(rawValue: left) {
        case .notNeeded: return .open
        case .granted: return .granted
        case nil: return .refused(.milliseconds(Int64(left)))
        }
    }

    package func giveBackProbe(_ route: ProviderRoute) async throws(StoreError) {
        _ = try await run(ProviderOutageScripts.giveBackProbe, arguments: [route.field])
    }

    package func end(_ route: ProviderRoute) async throws(StoreError) {
        _ = try await redis.send(RedisCommand("HDEL", RedisProviderOutages.key, route.field))
    }

    package func nominate(_ route: ProviderRoute, for lease: Duration) async throws(StoreError) -> Bool {
        let answer = try await run(
            ProviderOutageScripts.nominate, arguments: [route.field, RedisArgument(lease.wholeMilliseconds)])
        return answer.integer == 1
    }

    private func run(_ script: RedisScript, arguments: [RedisArgument]) async throws(StoreError) -> RedisValue {
        let now = time.map { RedisArgument($0.now.milliseconds) } ?? ""
        return try await redis.run(script, keys: [RedisProviderOutages.key], arguments: [now] + arguments)
    }

    private var unreadable: StoreError {
        StoreError(.corrupt, message: "invalid reply from Redis: cannot decode an outage")
    }
}

extension ProviderRoute {
    fileprivate var field: RedisArgument { RedisArgument("\(self)") }

    fileprivate init?(field: String) {
        let parts = field.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let app = try? AppID(String(parts[0])),
            let provider = PushProtocol(name: String(parts[1]))
        else { return nil }
        self.init(app: app, provider: provider)
    }
}
