import CommandKit
import ServiceKit

/// `carillon bench http`: the HTTP server alone, compared with libmicrohttpd.
struct BenchHTTP: Command {
    static let declaration = CommandDeclaration(
        "http", purpose: "compare the HTTP server alone with libmicrohttpd",
        options: LoadRounds.options,
        notes: """
            Starts its own servers; the program BareLoops must be in the same folder as this one, as `make build` places
            it, and h2load (package nghttp2-client) must be installed. 100,000 requests take about half a minute.

            Both servers answer a posted task with a fixed 201, from another thread than the one that reads, and use one
            thread for their sockets. Each round drives one server and then the other with h2load, over the same 64
            connections. Then 5,000 idle connections are opened to Carillon's server: http.idle.bytes is the memory of
            each of them in the server process.
            """)

    private let rounds: LoadRounds

    init(_ arguments: CommandArguments) throws(UsageError) {
        rounds = try LoadRounds(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await rounds.run(in: context) { count, say in
            try await HTTPBench(requests: rounds.requests).run(rounds: count, say: say)
        }
    }
}
