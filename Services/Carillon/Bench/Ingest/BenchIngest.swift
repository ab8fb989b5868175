import ServiceKit

/// `carillon bench ingest`: how fast small tasks are accepted, beside a bare HTTP server that answers without doing
/// anything.
struct BenchIngest: Command {
    static let declaration = CommandDeclaration(
        "bench ingest", purpose: "measures how fast small tasks are made durable, beside a bare HTTP server",
        options: [.json, .requests, .rounds],
        notes: """
            Starts redis-servers, ingest-apis and bare servers of its own; the programs ingest-api and BareLoops must lie
            beside this one, as `make build` leaves them, and h2load (of nghttp2-client) must be installed. With 100,000
            requests it takes about a minute.

            Each request is a task of its own for one user. It is answered once it is in the append-only file, which is
            synchronized for every write; nothing takes the tasks up. The bare server is the same HTTP server with a fixed
            answer, given from another thread than the one that reads. Each round drives first the one and then the other
            with h2load, over the same 64 connections; the figures are the medians of the rounds.
            """)

    private let isJSON: Bool
    private let requests: Int
    private let rounds: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        requests = try arguments.integer(.requests, default: 100_000, in: 1_000...500_000)
        rounds = try arguments.integer(.rounds, default: 3, in: 1...100)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await H2Load.requireInstalled()
        let figures = try await IngestBench(requests: requests).run(rounds: rounds) { number in
            context.terminal.complain("round \(number) of \(rounds) …")
        }
        if isJSON {
            for figure in figures { context.terminal.print(figure.json) }
        } else {
            context.terminal.print(BenchFigure.table(figures))
        }
        return 0
    }
}
