package import PushModel
import RedisClient
package import ServiceKit
package import Store

/// Failing servers in Redis: a hash for each app that has some. It expires with its last server.
package struct RedisFailingServers: FailingServers {
    static let note = RedisScript(PackageResources.note_failing_servers_lua, using: .clock, .failingServerBounds)
    static let read = RedisScript(PackageResources.read_failing_servers_lua, using: .clock, .failingServerBounds)

    private let redis: StoreConnection
    /// Nil for the clock of the Redis server, which all processes share.
    private let time: (any TimeSource)?

    package init(_ redis: StoreConnection, time: (any TimeSource)? = nil) {
        self.redis = redis
        self.time = time
    }

    package func read(_ app: AppID) async throws(StoreError) -> [String: Duration] {
        let answer = try await run(RedisFailingServers.read, of: app)
        guard let parts = answer.array else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode failing servers")
        }
        var servers: [String: Duration] = [:]
        for place in stride(from: 0, to: parts.count - 1, by: 2) {
            guard let server = parts[place].string, let left = parts[place + 1].integer else { continue }
            servers[server] = .milliseconds(Int64(left))
        }
        return servers
    }

    package func note(_ servers: [String: Duration], of app: AppID) async throws(StoreError) {
        let entries = servers.sorted { $0.key < $1.key }
        _ = try await run(
            RedisFailingServers.note, of: app,
            arguments: entries.flatMap { [RedisArgument($0.key), RedisArgument($0.value.wholeMilliseconds)] })
    }

    package func remove(_ servers: [String], of app: AppID) async throws(StoreError) {
        guard !servers.isEmpty else { return }
        _ = try await redis.send(
            RedisCommand(["HDEL", RedisFailingServers.key(app)] + servers.map { RedisArgument($0) }))
    }

    private static func key(_ app: AppID) -> RedisArgument { RedisArgument("failing-servers:\(app)") }

    private func run(
        _ script: RedisScript, of app: AppID, arguments: [RedisArgument] = []
    ) async throws(StoreError) -> RedisValue {
        let now = time.map { RedisArgument($0.now.milliseconds) } ?? ""
        return try await redis.run(script, keys: [RedisFailingServers.key(app)], arguments: [now] + arguments)
    }
}
