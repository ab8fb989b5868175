import Bus
import RedisBus
import RedisClient
import ServiceKit
import TestSupport
import Topics

/// A redis-server of the test's own, durable as the embedded bus wants it, with leases short enough to watch them end.
final class RedisFixture: BusFixture {
    let metrics = Metrics()
    let health = Health(time: SystemTimeSource())
    let server: RedisServer
    private let configuration: RedisBusConfiguration

    init(channelBytesMaximum: Int = 64 << 20) async throws {
        var options = RedisServer.Options()
        options.isDurable = true
        server = try await RedisServer(options)
        configuration = RedisBusConfiguration(
            channelBytesMaximum: channelBytesMaximum, lease: .seconds(1), heartbeat: .milliseconds(100))
    }

    func bus() throws -> any Bus {
        RedisBus(
            redis: try RedisConfiguration(url: server.url), configuration,
            log: Log(service: "test", level: .error, sink: SilentSink()), metrics: metrics, health: health,
            time: SystemTimeSource(), random: SystemRandomSource())
    }

    func prepare(_ topic: Topic<OpaqueMessage>) {}

    func spawnProbe(_ topic: Topic<OpaqueMessage>, group: String) throws -> ChildProcess? {
        try Probe.spawn(
            topic, group: group,
            ["CARILLON_BUS": server.url, "CARILLON_BUS_LEASE": "1s", "CARILLON_BUS_HEARTBEAT": "100ms"])
    }

    /// One command to the server, past the bus.
    func command(_ parts: String...) async throws {
        let client = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error, sink: SilentSink()),
            metrics: metrics)
        _ = try await client.send(RedisCommand(parts.map { RedisArgument($0) }))
        await client.close()
    }
}
