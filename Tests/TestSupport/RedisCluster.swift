import ServiceKit

/// A Redis Cluster of three primaries that cover all slots.
package final class RedisCluster: Sendable {
    package let servers: [RedisServer]

    package init() async throws {
        var options = RedisServer.Options()
        options.isCluster = true
        var started: [RedisServer] = []
        for _ in 0..<3 { started.append(try await RedisServer(options)) }
        servers = started
        let addresses = servers.map { "127.0.0.1:\($0.port)" }
        let join = try ChildProcess(
            "redis-cli", arguments: ["--cluster", "create"] + addresses + ["--cluster-replicas", "0", "--cluster-yes"])
        guard await join.end() == .exited(0) else {
            throw SetupError(description: join.lines.joined(separator: "\n"))
        }
        for server in servers where await !server.hasPrinted("Cluster state changed: ok") {
            throw SetupError(description: "the cluster did not form")
        }
    }

    package var url: String {
        "redis+cluster://" + servers.map { "127.0.0.1:\($0.port)" }.joined(separator: ",")
    }
}
