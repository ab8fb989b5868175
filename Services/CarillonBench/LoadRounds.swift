import CommandKit

/// Options and course of a benchmark that drives two servers with h2load, in rounds.
struct LoadRounds: Sendable {
    static let options: [CommandOption] = [.json, .requests, .rounds]

    let requests: Int
    private let count: Int
    private let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        requests = try arguments.requests()
        count = try arguments.rounds()
    }

    /// `measure` is called with the number of rounds and with what to call at the start of each.
    func run(
        in context: CommandContext, measure: (Int, (Int) -> Void) async throws -> [BenchFigure]
    ) async throws -> Int32 {
        try await H2Load.requireInstalled()
        let figures = try await measure(count) { context.terminal.note("round \($0) of \(count)") }
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }
}
