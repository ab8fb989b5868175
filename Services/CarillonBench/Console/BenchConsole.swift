import CommandKit
import ServiceKit

/// `carillon bench console`: what open consoles cost, and the size of the page.
struct BenchConsole: Command {
    static let declaration = CommandDeclaration(
        "console", purpose: "measure the CPU of ingest-api with open consoles, and the size of the page",
        options: [.json, .consoles, .seconds],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. Each console follows the app and one task. A task is posted every second, so that each console is
            sent a message every second, as with a broadcast under way. The same tasks are posted without consoles
            before; the difference is what the consoles cost. The ratio is that of the CPU with and without them.
            """)

    private let isJSON: Bool
    private let consoles: Int
    private let seconds: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        consoles = try arguments.integer(.consoles, default: 1_000, in: 1...2_000)
        seconds = try arguments.integer(.seconds, default: 20, in: 1...3_600)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let harness = try await LocalHarness(
            memory: "256MiB", variables: ["CARILLON_INGEST_CONNECTIONS_MAX": "\(consoles + 100)"])
        let bench = ConsoleBench(harness: harness, consoles: consoles, seconds: seconds)
        context.terminal.print(try await bench.run { context.terminal.note($0) }, isJSON: isJSON)
        return 0
    }
}

extension CommandOption {
    fileprivate static let consoles = CommandOption("--consoles", value: "N", meaning: "Open consoles (default: 1000)")
    fileprivate static let seconds = CommandOption(
        "--seconds", value: "N", meaning: "Duration of each measurement (default: 20)")
}
