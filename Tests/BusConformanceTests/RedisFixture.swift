import Bus
import RedisBus
import RedisClient
import ServiceKit
import TestSupport
import Topics

/// A redis-server owned by the test, durable as the embedded bus requires, with leases short enough to let them expire.
final class RedisFixture: BusFixture {
    let metrics = Metrics()
    let health = Health(time: SystemTimeSource())
    let server: RedisServer
    private let configuration: RedisBusConfiguration

    init(channelBytesMaximum: Int = 64 << 20, logBytesMaximum: Int = 64 << 20) async throws {
        var options = RedisServer.Options()
        options.isDurable = true
        server = try await RedisServer(options)
        configuration = RedisBusConfiguration(
            channelBytesMaximum: channelBytesMaximum, logBytesMaximum: logBytesMaximum, lease: .seconds(1),
            heartbeat: .milliseconds(100))
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

    /// Waits until the leases of the server's consumers have expired, by watching a key with a longer expiry on another
    /// server, which uses the same kind of clock.
    func outlastLeases() async throws {
        let witness = try await RedisServer()
        let client = RedisClient(
            try RedisConfiguration(url: witness.url), log: Log(service: "test", level: .error, sink: SilentSink()),
            metrics: metrics)
        _ = try await client.send(RedisCommand("SET", "lease", "1", "PX", "1500"))
        try await waitUntil { try await client.send(RedisCommand("EXISTS", "lease")) != .integer(1) }
        await client.close()
    }

    /// Polls a condition that has no event every few milliseconds; false after `hangLimit`.
    func eventually(_ isSo: @escaping @Sendable () -> Bool) async -> Bool {
        await blocking {
            let time = SystemTimeSource()
            let deadline = time.uptime + .hangLimit
            let pause = Monitor(())
            while !isSo() {
                guard time.uptime < deadline else { return false }
                _ = pause.wait(timeout: .milliseconds(5)) { _ -> Bool? in nil }
            }
            return true
        }
    }

    /// Sends one command to the server, bypassing the bus.
    func command(_ parts: String...) async throws {
        let client = RedisClient(
            try RedisConfiguration(url: server.url), log: Log(service: "test", level: .error, sink: SilentSink()),
            metrics: metrics)
        _ = try await client.send(RedisCommand(parts.map { RedisArgument($0) }))
        await client.close()
    }
}
