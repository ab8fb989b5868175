import CommandKit
import ServiceKit

/// `carillon bench receipts`: how fast receipts become durable while a reporter counts them.
struct BenchReceipts: Command {
    static let declaration = CommandDeclaration(
        "receipts", purpose: "measure how fast receipts of devices become durable and are counted",
        options: [.json, .seconds],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. A few connections post requests of 500 proven receipts as fast as they are answered. The rate is that of
            durable receipts, the backlog what the reporter had not counted when posting ended. The benchmark fails if
            not every receipt is counted in the end.
            """)

    private let isJSON: Bool
    private let seconds: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        seconds = try arguments.integer(.seconds, default: 60, in: 1...3_600)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let harness = try await LocalHarness(memory: "1GiB")
        context.terminal.note("receipts for \(seconds) s")
        let figures = try await ReceiptBench(harness: harness, duration: .seconds(seconds)).run()
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }
}

extension CommandOption {
    fileprivate static let seconds = CommandOption(
        "--seconds", value: "N", meaning: "How long receipts are posted (default: 60)")
}
