import RedisClient
import ServiceKit
import TestSupport
import Testing

@Suite struct RedisClusterTests {
    private func client(_ cluster: RedisCluster) throws -> RedisClient {
        let configuration = try RedisConfiguration(url: cluster.url)
        return RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
    }

    @Test func keysGoToTheirServersInOneCall() async throws {
        let cluster = try await RedisCluster()
        let client = try client(cluster)
        let set = await client.send((0..<300).map { RedisCommand("SET", "key\($0)", RedisArgument($0)) })
        #expect(set.allSatisfy { $0 == .success(.status("OK")) })
        let got = await client.send((0..<300).map { RedisCommand("GET", "key\($0)") })
        #expect(got.map { try? $0.get().integer } == (0..<300).map { Int64($0) })
        for server in cluster.servers {
            let size = try await server.plainClient().send(RedisCommand("DBSIZE")).integer
            #expect((size ?? 0) > 0)
        }
        #expect(client.readiness() == .ready)
    }

    @Test func scriptsFollowTheirFirstKey() async throws {
        let cluster = try await RedisCluster()
        let client = try client(cluster)
        let script = RedisScript("return redis.call('INCR', KEYS[1])")
        for index in 0..<50 {
            #expect(try await client.run(script, keys: ["key\(index)"], arguments: []) == .integer(1))
        }
    }

    /// Moves one slot with a hundred counters between servers while four tasks increment them. A lost or doubled write
    /// shows immediately, as a reply that is not one more than the last.
    @Test func countingGoesOnWhileASlotMoves() async throws {
        let cluster = try await RedisCluster()
        let client = try client(cluster)
        let isOver = Monitor(false)
        try await withThrowingTaskGroup(of: Int64.self) { group in
            for task in 0..<4 {
                group.addTask {
                    var rounds: Int64 = 0
                    while !isOver.withLock({ $0 }) {
                        rounds += 1
                        for counter in 0..<25 {
                            let key = "{moving}\(task).\(counter)"
                            let count = try await client.send(RedisCommand("INCR", "\(key)"))
                            #expect(count == .integer(rounds))
                        }
                    }
                    return rounds
                }
            }
            for step in 0..<6 {
                try await move(slotOf: "{moving}", in: cluster, to: cluster.servers[step % 3])
            }
            isOver.change { $0 = true }
            for try await rounds in group { #expect(rounds > 1) }
        }
    }

    private func move(slotOf key: RedisArgument, in cluster: RedisCluster, to target: RedisServer) async throws {
        var ids: [UInt16: String] = [:]
        var holder: RedisServer?
        let slot = try #require(
            try await target.plainClient().send(RedisCommand("CLUSTER", "KEYSLOT", key)).integer)
        for server in cluster.servers {
            ids[server.port] = try await server.plainClient().send(RedisCommand("CLUSTER", "MYID")).string
            let value = try await server.plainClient().result(RedisCommand("GET", key))
            if value.code != .reply("MOVED") { holder = server }
        }
        let source = try #require(holder)
        guard source.port != target.port else { return }
        let sourceID = RedisArgument(try #require(ids[source.port]))
        let targetID = RedisArgument(try #require(ids[target.port]))
        let number = RedisArgument(slot)
        let (from, to) = (try source.plainClient(), try target.plainClient())
        _ = try await to.send(RedisCommand("CLUSTER", "SETSLOT", number, "IMPORTING", sourceID))
        _ = try await from.send(RedisCommand("CLUSTER", "SETSLOT", number, "MIGRATING", targetID))
        while case let keys = try await from.send(RedisCommand("CLUSTER", "GETKEYSINSLOT", number, 10)),
            let found = keys.array, !found.isEmpty
        {
            let arguments = found.compactMap(\.bytes).map { RedisArgument($0) }
            let port = RedisArgument(Int(target.port))
            _ = try await from.send(
                RedisCommand(["MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS"] + arguments))
        }
        // The target first: otherwise the two servers would redirect each other's clients back and forth.
        for client in [to, from] {
            _ = try await client.send(RedisCommand("CLUSTER", "SETSLOT", number, "NODE", targetID))
        }
        let epochsAgree = try await haveOneEpoch(of: try #require(ids[target.port]), in: cluster)
        #expect(epochsAgree)
    }

    /// Polls until all servers know the epoch in which the target took the slot. If the slot moved on earlier, two
    /// servers could claim it with the same epoch, which redirects clients in circles until the cluster resolves that.
    private func haveOneEpoch(of id: String, in cluster: RedisCluster) async throws -> Bool {
        let clients = try cluster.servers.map { try $0.plainClient() }
        let start = SystemTimeSource().uptime
        while SystemTimeSource().uptime - start < .hangLimit {
            var epochs: Set<Substring> = []
            for client in clients {
                let table = try await client.send(RedisCommand("CLUSTER", "NODES")).string ?? ""
                let line = table.split(separator: "\n").first { $0.hasPrefix(id) }
                epochs.insert(line?.split(separator: " ")[6] ?? "")
            }
            if epochs.count == 1 { return true }
        }
        return false
    }
}

extension RedisServer {
    /// A client of this one server, which follows no redirects.
    fileprivate func plainClient() throws -> RedisClient {
        let configuration = RedisConfiguration(port: port)
        return RedisClient(configuration, log: Log(service: "test", level: .error), metrics: Metrics())
    }
}
