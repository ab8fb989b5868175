import Bus
import KafkaBus
import ServiceKit
import TestSupport
import Topics

/// Mock brokers and a bus owned by one test.
struct KafkaFixture: Sendable {
    let server: KafkaMockServer
    let metrics = Metrics()
    let lines = CollectingSink()
    let health = Health(time: SystemTimeSource())

    static func start(brokers: Int = 3) async throws -> KafkaFixture {
        KafkaFixture(server: try await KafkaMockServer(brokers: brokers))
    }

    var environment: WorkerEnvironment {
        WorkerEnvironment(
            time: SystemTimeSource(), random: SeededRandomSource(seed: 1),
            log: Log(service: "test", level: .debug, sink: lines), metrics: metrics, health: health)
    }

    /// The mock brokers answer an empty fetch only after its maximum wait, and drop a member only after its session
    /// timeout, so both are short.
    func configuration() throws -> KafkaConfiguration {
        var configuration = try KafkaConfiguration(url: server.url)
        configuration.set("fetch.wait.max.ms", "10")
        configuration.set("session.timeout.ms", "6000")
        configuration.set("heartbeat.interval.ms", "100")
        configuration.set("linger.ms", "0")
        return configuration
    }

    func bus(
        _ change: (inout KafkaConfiguration) -> Void = { _ in }
    ) throws -> KafkaBus {
        var configuration = try configuration()
        change(&configuration)
        return try KafkaBus(configuration, environment: environment, storeInterval: .milliseconds(20))
    }
}

/// A topic owned by one test.
func testChannel(_ name: String = "test.events") -> Channel {
    TopicDeclaration(
        name, kind: .work, admission: .forward, partitions: .init(kafka: 4, embedded: 4), key: "", from: [], to: []
    ).channels[0]
}

extension Channel {
    func message(_ text: String, key: String? = nil, headers: [MessageHeader] = []) -> OutgoingMessage {
        OutgoingMessage(channel: self, key: key.map { Array($0.utf8) }, value: Array(text.utf8), headers: headers)
    }
}

extension Metrics {
    func total(_ name: MetricName) -> Int {
        exposition().split(separator: "\n").filter { $0.hasPrefix(name.rawValue) }
            .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }
}

extension IncomingMessage {
    var text: String { String(decoding: value, as: UTF8.self) }
}

extension BusConsumer {
    /// Takes and completes deliveries until this many messages have arrived.
    func collect(_ count: Int) async throws -> [IncomingMessage] {
        var messages: [IncomingMessage] = []
        while messages.count < count, let delivery = await next() {
            messages += delivery.messages
            complete(delivery)
        }
        return messages
    }
}
