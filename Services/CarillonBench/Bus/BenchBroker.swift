import CommandKit
import ServiceKit

enum BenchDriver: String, CaseIterable {
    case kafka
    case redis

    func start() async throws -> any BenchBroker {
        switch self {
        case .kafka: try await PretendedKafka()
        case .redis: try await LocalRedis()
        }
    }
}

/// A broker started by the benchmark, and the two programs that run against it.
protocol BenchBroker: Sendable {
    func runBare(_ load: BusLoad) async throws -> LoadResult
    func runBus(_ load: BusLoad) async throws -> LoadResult
}

extension LocalRedis: BenchBroker {
    func runBare(_ load: BusLoad) async throws -> LoadResult {
        try await SiblingProgram("BareLoops").result(["redis", "\(port)", load.topic] + load.numbers)
    }

    func runBus(_ load: BusLoad) async throws -> LoadResult {
        try await SiblingProgram("carillon-bench").result(["load", "--bus", url, load.topic] + load.numbers)
    }
}

/// librdkafka's mock cluster, in the program that hosts it.
final class PretendedKafka: BenchBroker {
    private let process: ChildProcess
    private let url: String

    init() async throws {
        process = try SiblingProgram("KafkaMock").start(["1"])
        guard let line = await process.line(where: { $0.hasPrefix("bootstrap ") }) else {
            throw BenchError("KafkaMock did not start")
        }
        url = "kafka://" + line.dropFirst("bootstrap ".count)
    }

    func runBare(_ load: BusLoad) async throws -> LoadResult {
        try await create(load)
        return try await SiblingProgram("BareLoops").result(["kafka", url, load.topic] + load.numbers)
    }

    func runBus(_ load: BusLoad) async throws -> LoadResult {
        try await create(load)
        // The mock brokers delay an empty answer for the full maximum wait.
        return try await SiblingProgram("carillon-bench").result(
            ["load", "--bus", url, load.topic] + load.numbers,
            variables: ["CARILLON_KAFKA_FETCH_WAIT_MAX_MS": "10"])
    }

    private func create(_ load: BusLoad) async throws {
        let command = "create topic \(load.topic) \(load.partitions)"
        process.send(command)
        guard await process.line(where: { $0 == "ok \(command)" }) != nil else {
            throw BenchError("KafkaMock did not create \(load.topic)")
        }
    }
}
