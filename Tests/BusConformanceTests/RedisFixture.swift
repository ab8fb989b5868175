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
            settings: ["CARILLON_BUS": server.url, "CARILLON_BUS_LEASE": "1s", "CARILLON_BUS_HEARTBEAT": "100ms"])
    }

    /// Lets the leases of the server's consumers run out: another server's key with as long a life is watched to its end,
    /// so that the wait is for an event of the same kind of clock.
    func outlastLeases() async throws {
        let witness = try await RedisServer()
        let client = RedisClient(
            try RedisConfiguration(url: witness.url), log: Log(service: "test", level: .error, sink: SilentSink()),
            metrics: metrics)
        _ = try await client.send(RedisCommand("SET", "lease", "1", "PX", "1500"))
        try await waitUntil { try await client.send(RedisCommand("EXISTS", "lease")) != .integer(1) }
        await client.close()
    }

    /// Looks every few milliseconds whether it is so; false when a generous time is over. For what tells nobody.
    func eventually(_ isSo: @escaping @Sendable () -> Bool) async -> Bool {
        await blocking {
            let time = SystemTimeSource()
            let deadline = time.uptime + .seconds(30)
            let pause = Monitor(())
            while !isSo() {
                guard time.uptime < deadline else { return false }
                _ = pause.wait(timeout: .milliseconds(5)) { _ -> Bool? in nil }
            }
            return true
        }
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
