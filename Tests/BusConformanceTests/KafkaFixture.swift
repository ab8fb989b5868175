import Bus
import KafkaBus
import ServiceKit
import TestSupport
import Topics

/// librdkafka's mock cluster in its own process, with shortened timeouts.
final class KafkaFixture: BusFixture {
    let metrics = Metrics()
    let health = Health(time: SystemTimeSource())
    let server: KafkaMockServer
    /// Stores the state that probes share.
    private let store: RedisServer

    private static let settings = [
        "fetch.wait.max.ms": "10", "session.timeout.ms": "6000", "heartbeat.interval.ms": "200",
    ]

    init() async throws {
        server = try await KafkaMockServer()
        store = try await RedisServer()
    }

    func bus() throws -> any Bus {
        var configuration = try KafkaConfiguration(url: server.url)
        for (name, value) in Self.settings { configuration.set(name, value) }
        return try KafkaBus(
            configuration,
            environment: WorkerEnvironment(
                time: SystemTimeSource(), random: SystemRandomSource(),
                log: Log(service: "test", level: .error, sink: SilentSink()), metrics: metrics, health: health))
    }

    func prepare(_ topic: Topic<OpaqueMessage>) async throws {
        try await server.perform("create topic \(topic.declaration.name) \(topic.declaration.partitions.kafka)")
    }

    func spawnProbe(_ topic: Topic<OpaqueMessage>, group: String) throws -> ChildProcess? {
        var environment = ["CARILLON_BUS": server.url, "CARILLON_REDIS": store.url]
        for (name, value) in Self.settings {
            let variable = name.uppercased().split(separator: ".").joined(separator: "_")
            environment["CARILLON_KAFKA_\(variable)"] = value
        }
        return try Probe.spawn(topic, group: group, settings: environment)
    }
}
