import CommandKit
import ServiceKit

/// `carillon bench stream`: what listeners cost, and how soon they have an event.
struct BenchStream: Command {
    static let declaration = CommandDeclaration(
        "stream", purpose: "measure the memory of idle streams and the time of one event to all of them",
        options: [.json, .listeners, .events],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. Opens the streams, then posts tasks one after the other and waits until every listener has each. The
            time counts from the request that posts the task, and includes the clients' reading on the same machine.
            The ratios compare it with a loop that writes the same number of bytes to as many sockets.
            """)

    private let isJSON: Bool
    private let listeners: Int
    private let events: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        listeners = try arguments.integer(.listeners, default: 10_000, in: 1...100_000)
        events = try arguments.integer(.events, default: 20, in: 1...10_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let harness = try await LocalHarness(
            memory: "1GiB",
            variables: [
                "CARILLON_STREAM_LISTENERS_MAX": "\(listeners)",
                "CARILLON_STREAM_LISTENERS_PER_APP_MAX": "\(listeners)",
                "CARILLON_STREAM_CONNECTIONS_MAX": "\(listeners + 100)",
            ])
        let bench = StreamBench(harness: harness, listeners: listeners, events: events)
        context.terminal.print(try await bench.run { context.terminal.note($0) }, isJSON: isJSON)
        return 0
    }
}

extension CommandOption {
    fileprivate static let listeners = CommandOption(
        "--listeners", value: "N", meaning: "Open streams (default: 10000)")
    fileprivate static let events = CommandOption(
        "--events", value: "N", meaning: "Tasks that are posted (default: 20)")
}
