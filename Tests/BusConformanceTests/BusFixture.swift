import Bus
import MemoryBus
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import Simulation

/// The drivers that the suite tests.
enum Driver: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    /// As the processes of the simulation see the bus in memory.
    case simulated
    case redis
    case kafka

    var testDescription: String { rawValue }

    func fixture() async throws -> any BusFixture {
        switch self {
        case .memory: MemoryFixture()
        case .simulated: SimulatedFixture()
        case .redis: try await RedisFixture()
        case .kafka: try await KafkaFixture()
        }
    }
}

/// A broker owned by one test, with operations on it.
protocol BusFixture: Sendable {
    /// A client of the broker, independent of its other clients.
    func bus() throws -> any Bus
    /// Creates a topic on the broker, if the broker needs that.
    func prepare(_ topic: Topic<OpaqueMessage>) async throws
    /// A consumer in its own process; nil if the broker is in this process.
    func spawnProbe(_ topic: Topic<OpaqueMessage>, group: String) throws -> ChildProcess?
    /// Metrics of the buses created here.
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

struct SimulatedFixture: BusFixture {
    let metrics = Metrics()
    let health = Health(time: SystemTimeSource())
    private let shared = SimulatedBus(
        base: MemoryBus(time: SystemTimeSource(), random: SystemRandomSource()), seam: .undisturbed())

    func bus() -> any Bus { shared }
    func prepare(_ topic: Topic<OpaqueMessage>) {}
    func spawnProbe(_ topic: Topic<OpaqueMessage>, group: String) -> ChildProcess? { nil }
}
