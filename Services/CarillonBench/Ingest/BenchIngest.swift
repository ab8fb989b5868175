import CommandKit
import ServiceKit

/// `carillon bench ingest`: acceptance rate of small tasks, compared with a bare HTTP server that answers without
/// processing.
struct BenchIngest: Command {
    static let declaration = CommandDeclaration(
        "ingest", purpose: "measure how fast small tasks become durable, compared with a bare HTTP server",
        options: LoadRounds.options,
        notes: """
            Starts its own redis-servers, ingest-apis and bare servers; the programs ingest-api and BareLoops must be in
            the same folder as this one, as `make build` places them, and h2load (package nghttp2-client) must be
            installed. 100,000 requests take about a minute.

            Each request is a task for one user. It is answered once it is in the append-only file, which is
            synchronized for every write; no service processes the tasks. The bare server is the same HTTP server with a
            fixed answer, from another thread than the one that reads. Each round drives one server and then the other
            with h2load, over the same 64 connections; the figures are medians over the rounds.
            """)

    private let rounds: LoadRounds

    init(_ arguments: CommandArguments) throws(UsageError) {
        rounds = try LoadRounds(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await rounds.run(in: context) { count, say in
            try await IngestBench(requests: rounds.requests).run(rounds: count, say: say)
        }
    }
}
