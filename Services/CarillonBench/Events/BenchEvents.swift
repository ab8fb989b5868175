import CommandKit
import ServiceKit

/// `carillon bench events`: how many events over UDP become durable, and what becomes of each datagram.
struct BenchEvents: Command {
    static let declaration = CommandDeclaration(
        "events", purpose: "measure how many of pushd's events over UDP become durable",
        options: [.json, .seconds, .eventsPerSecond],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. Redis gets \(memory) and each topic \(channelBytes), so that the resolvers' backlog fits. Datagrams
            are sent at a steady rate. The rate counts events that were made durable, the backlog those whose task was
            not closed when sending ended. The benchmark ends when every task is closed, and fails if a datagram has no
            outcome. The ratio compares the CPU-seconds of ingest-api for an accepted event with a loop that only receives
            the datagrams. Before, 100,000 datagrams of garbage are sent; their memory is the growth of ingest-api's peak.
            """)

    private static let memory = "6GiB"
    private static let channelBytes = "2GiB"

    private let isJSON: Bool
    private let seconds: Int
    private let rate: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        seconds = try arguments.integer(.seconds, default: 60, in: 1...600)
        rate = try arguments.integer(.eventsPerSecond, default: 12_000, in: 100...1_000_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let port = try DatagramLoad.freePort()
        let harness = try await LocalHarness(
            memory: BenchEvents.memory, arguments: ["--udp", "\(port)"],
            variables: ["CARILLON_BUS_CHANNEL_BYTES": BenchEvents.channelBytes])
        let load = DatagramLoad(rate: rate, duration: .seconds(seconds))
        let bench = EventsBench(harness: harness, port: port, load: load)
        context.terminal.print(try await bench.run { context.terminal.note($0) }, isJSON: isJSON)
        return 0
    }
}

extension CommandOption {
    fileprivate static let seconds = CommandOption(
        "--seconds", value: "N", meaning: "How long datagrams are sent (default: 60)")
    fileprivate static let eventsPerSecond = CommandOption(
        "--rate", value: "N", meaning: "Datagrams sent each second (default: 12000)")
}
