import Bus
import MemoryBus
import ServiceKit
import TestSupport
import Testing
import Topics

/// The drivers the suite runs against.
enum Driver: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case redis
    case kafka

    var testDescription: String { rawValue }

    func fixture() async throws -> any BusFixture {
        switch self {
        case .memory: MemoryFixture()
        case .redis: try await RedisFixture()
        case .kafka: try await KafkaFixture()
        }
    }
}

/// A broker of a test's own, with what one can do to it.
protocol BusFixture: Sendable {
    /// A client of the broker, independent of other clients of it.
    func bus() throws -> any Bus
    /// Tells the broker of a topic, where brokers want that.
    func prepare(_ topic: Topic<OpaqueMessage>) async throws
    /// A consumer in a process of its own; nil where the broker lives in this one.
    func spawnProbe(_ topic: Topic<OpaqueMessage>, group: String) throws -> ChildProcess?
    /// Metrics of the buses made here.
    var metrics: Metrics { get }
    var health: Health { get }
}

struct MemoryFixture: BusFixture {
    let metrics = Metrics()
    let health = Health(time: SystemTimeSource())
    private let shared: MemoryBus

    init(bytesMaximum: Int = 64 << 20) {
        shared = MemoryBus(bytesMaximum: bytesMaximum, time: SystemTimeSource(), random: SystemRandomSource())
    }

    func bus() -> any Bus { shared }
    func prepare(_ topic: Topic<OpaqueMessage>) {}
    func spawnProbe(_ topic: Topic<OpaqueMessage>, group: String) -> ChildProcess? { nil }
}
