import CommandKit
import ServiceKit

/// `carillon bench bus`: throughput of each driver, compared with a bare loop over the same C client.
struct BenchBus: Command {
    static let declaration = CommandDeclaration(
        "bus", purpose: "compare both bus drivers with bare loops over the same C clients",
        options: [.json, .rounds],
        notes: """
            Starts its own redis-server and mock Kafka brokers; three rounds take about two minutes. Each round runs the
            bare loop and then the bus, in processes of their own; the figures are medians over the rounds. The programs
            BareLoops and KafkaMock must be in the same folder as this one, as `make build` places them.
            """)

    private let isJSON: Bool
    private let rounds: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        rounds = try arguments.rounds()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        var figures: [BenchFigure] = []
        for driver in BenchDriver.allCases {
            let broker = try await driver.start()
            for size in BenchSize.all {
                context.terminal.complain(
                    "\(driver.rawValue), \(size.name) messages, \(rounds == 1 ? "1 round" : "\(rounds) rounds") …")
                figures += try await measure(driver, size: size, broker: broker)
            }
        }
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }

    private func measure(
        _ driver: BenchDriver, size: BenchSize, broker: any BenchBroker
    ) async throws -> [BenchFigure] {
        var bare: [LoadResult] = []
        var ours: [LoadResult] = []
        for round in 0..<rounds {
            bare.append(try await broker.runBare(size.load(topic: "bare-\(size.name)-\(round)")))
            ours.append(try await broker.runBus(size.load(topic: "bus-\(size.name)-\(round)")))
        }
        return BenchBus.figures(prefix: "bus.\(driver.rawValue)", size, bare: bare, ours: ours)
    }

    /// Compares within each round, since other load on the machine differs between rounds.
    private static func figures(
        prefix: String, _ size: BenchSize, bare: [LoadResult], ours: [LoadResult]
    ) -> [BenchFigure] {
        let messages = Double(size.messages)
        let name = "\(prefix).\(size.name)"
        let rate = ours.map { messages / $0.seconds }.median
        let ratio = zip(bare, ours).map { $0.seconds / $1.seconds }.median
        let cpu = ours.map { $0.cpuSeconds / messages * 100_000 }.median
        let cpuRatio = zip(bare, ours).map { $1.cpuSeconds / $0.cpuSeconds }.median
        var figures = [
            BenchFigure(name: "\(name).rate", value: rate, unit: "messages/s", ratio: ratio),
            BenchFigure(name: "\(name).throughput", value: rate * Double(size.bytes) / 1e6, unit: "MB/s"),
            BenchFigure(name: "\(name).cpu", value: cpu, unit: "CPU-seconds/100,000", ratio: cpuRatio),
            BenchFigure(name: "\(name).memory_peak", value: ours.map(\.memoryBytes).median / 1e6, unit: "MB"),
        ]
        if size.measuresLatency {
            figures += [
                BenchFigure(name: "\(prefix).latency_p50", value: ours.compactMap(\.latencyP50).median, unit: "ms"),
                BenchFigure(name: "\(prefix).latency_p99", value: ours.compactMap(\.latencyP99).median, unit: "ms"),
            ]
        }
        return figures
    }
}

/// Message size and count of one part of the benchmark.
private struct BenchSize {
    let name: String
    let bytes: Int
    let messages: Int
    let batch: Int
    /// Chosen with `partitions` so that at most about 1.5 MiB is in each partition of the mock brokers.
    let window: Int
    let partitions: Int
    let measuresLatency: Bool

    static let all = [
        BenchSize(
            name: "1kb", bytes: 1_024, messages: 300_000, batch: 100, window: 4_000, partitions: 4,
            measuresLatency: true),
        BenchSize(
            name: "100kb", bytes: 102_400, messages: 12_000, batch: 5, window: 240, partitions: 16,
            measuresLatency: false),
    ]

    func load(topic: String) -> BusLoad {
        BusLoad(topic: topic, partitions: partitions, messages: messages, bytes: bytes, batch: batch, window: window)
    }
}
