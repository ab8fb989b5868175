import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

/// A dependency of the services is unavailable or rejects them at their start: they report it, wait, and recover.
@Suite(.timeLimit(.minutes(3))) struct OutageTests {
    /// Goal: no service exits, and all are ready once the fault is fixed. Method: a Redis that does not run, then one
    /// with another password, then the right one.
    @Test func everyServiceWaitsForRedisAndForItsPassword() async throws {
        var options = RedisServer.Options.forStores
        options.isDurable = true
        options.password = "another"
        let server = try await RedisServer(options)
        await server.stop()
        let folder = TemporaryDirectory("apps")
        let password = folder.write("password", content: "right\n")
        let services = try StartedService.names.map {
            try StartedService(
                $0,
                settings: [
                    "CARILLON_BUS": server.url, "CARILLON_REDIS_PASSWORD_FILE": password, "CARILLON_APPS": folder.path,
                ])
        }
        try await services.each { service in
            #expect(await service.prints("Redis is not reachable", "127.0.0.1:\(server.port): Connection refused"))
            try await service.expectReadiness(503, texts: "Connection refused")
        }
        try await server.restart()
        try await services.each { service in
            #expect(await service.prints("refuses user and password", "check CARILLON_REDIS_PASSWORD"))
            try await service.expectReadiness(503, texts: "refuses user and password")
        }
        try await OutageTests.changePassword(of: server, from: "another", to: "right")
        try await services.each { try await $0.expectReadiness(200) }
        try await services.each { service in
            await service.stop()
            #expect(!service.process.lines.contains { $0.contains("another") || $0.contains("right") })
        }
    }

    @Test func everyServiceWaitsForKafka() async throws {
        var options = RedisServer.Options.forStores
        options.isDurable = true
        let server = try await RedisServer(options)
        let kafka = try await KafkaMockServer(brokers: 1)
        for channel in Topics.all.flatMap(\.channels) {
            // As in PipelineTests: the mock brokers answer each empty fetch separately.
            let count = channel == Topics.registry.channel ? channel.declaration.partitions.kafka : 4
            try await kafka.perform("create topic \(channel.name) \(count)")
        }
        try await kafka.perform("broker down 1")
        let folder = TemporaryDirectory("apps")
        let services = try StartedService.names.map {
            try StartedService(
                $0, settings: ["CARILLON_BUS": kafka.url, "CARILLON_REDIS": server.url, "CARILLON_APPS": folder.path])
        }
        try await services.each { service in
            #expect(await service.prints("Connection refused"))
            try await service.expectReadiness(503, texts: "bus: Kafka does not answer: ")
        }
        try await kafka.perform("broker up 1")
        try await services.each { try await $0.expectReadiness(200) }
        try await services.each { await $0.stop() }
    }

    /// Goal: the reason is reported if a Redis responds but cannot serve as a bus.
    @Test func aReplicaAndAClusterAreNoBus() async throws {
        var options = RedisServer.Options()
        options.isDurable = true
        options.arguments = ["--replicaof", "127.0.0.1", "1"]
        let replica = try await RedisServer(options)
        options.arguments = []
        options.isCluster = true
        let cluster = try await RedisServer(options)
        for (server, reason) in [(replica, "Redis is a replica"), (cluster, "Redis is part of a cluster")] {
            let service = try StartedService("renderer", settings: ["CARILLON_BUS": "redis://127.0.0.1:\(server.port)"])
            try await service.expectReadiness(503, texts: reason)
            await service.stop()
        }
    }

    /// Goal: a Redis that accepts connections but refuses every command does not count as ready. Method: its only user
    /// loses all rights while the service is connected.
    @Test func aRedisThatRefusesEverythingIsNotReady() async throws {
        var options = RedisServer.Options()
        options.isDurable = true
        let server = try await RedisServer(options)
        let folder = TemporaryDirectory("apps")
        let service = try StartedService(
            "android-sender", settings: ["CARILLON_BUS": server.url, "CARILLON_APPS": folder.path])
        try await service.expectReadiness(200)
        let client = RawClient(port: server.port)
        client.send("ACL SETUSER default -@all\r\n")
        try await service.expectReadiness(
            503, texts: "bus: Redis does not answer: NOPERM", "store: Redis does not answer: NOPERM")
        await service.stop()
    }

    /// Goal: TLS with a private authority needs only a URL and a file, and a mismatch on either side is reported.
    @Test func theFilesForTLSCountForTheBus() async throws {
        let authority = try await TestAuthority()
        var options = RedisServer.Options()
        options.isDurable = true
        options.authority = authority
        let secured = try await RedisServer(options)
        let plain = try await RedisServer()
        let file = ["CARILLON_REDIS_CA_FILE": authority.authorityFile]
        let services = [
            try StartedService("renderer", settings: file.merging(["CARILLON_BUS": secured.url]) { $1 }),
            try StartedService("renderer", settings: ["CARILLON_BUS": secured.url]),
            try StartedService("renderer", settings: ["CARILLON_BUS": "redis://127.0.0.1:\(secured.port)"]),
            try StartedService(
                "renderer",
                settings: file.merging([
                    "CARILLON_BUS": "rediss://127.0.0.1:\(plain.port)", "CARILLON_REDIS_CONNECT_DEADLINE": "1s",
                ]) {
                    $1
                }),
        ]
        try await services[0].expectReadiness(200)
        try await services[1].expectReadiness(503, texts: "is not trusted")
        try await services[2].expectReadiness(503, texts: "use rediss:// instead of redis://")
        try await services[3].expectReadiness(503, texts: "use redis:// instead of rediss://")
        try await services.each { await $0.stop() }
    }

    private static func changePassword(of server: RedisServer, from old: String, to new: String) async throws {
        var configuration = try RedisConfiguration(url: server.url)
        configuration.password = Secret(old)
        let client = RedisClient(
            configuration, log: Log(service: "test", level: .error, sink: CollectingSink()), metrics: Metrics(),
            time: SystemTimeSource(), random: SystemRandomSource())
        _ = try await client.send(RedisCommand("CONFIG", "SET", "requirepass", RedisArgument(new)))
        await client.close()
    }
}
