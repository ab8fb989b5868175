import CommandKit
import ServiceKit

/// `carillon bench http`: the HTTP server alone, compared with libmicrohttpd.
struct BenchHTTP: Command {
    static let declaration = CommandDeclaration(
        "http", purpose: "compare the HTTP server alone with libmicrohttpd",
        options: [.json, .requests, .rounds],
        notes: """
            Starts its own servers; the program BareLoops must be in the same folder as this one, as `make build` places
            it, and h2load (package nghttp2-client) must be installed. 100,000 requests take about half a minute.

            Both servers answer a posted task with a fixed 201, from another thread than the one that reads, and use one
            thread for their sockets. Each round drives one server and then the other with h2load, over the same 64
            connections. Then 5,000 idle connections are opened to Carillon's server: http.idle.bytes is the memory of
            each of them in the server process.
            """)

    private let isJSON: Bool
    private let requests: Int
    private let rounds: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        requests = try arguments.requests()
        rounds = try arguments.rounds()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await H2Load.requireInstalled()
        let figures = try await HTTPBench(requests: requests).run(rounds: rounds) { number in
            context.terminal.note("round \(number) of \(rounds)")
        }
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }
}
