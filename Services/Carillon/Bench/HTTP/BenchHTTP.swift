import ServiceKit

/// `carillon bench http`: the HTTP server alone, compared with libmicrohttpd.
struct BenchHTTP: Command {
    static let declaration = CommandDeclaration(
        "bench http", purpose: "compare the HTTP server alone with libmicrohttpd",
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
        requests = try arguments.integer(.requests, default: 100_000, in: 1_000...500_000)
        rounds = try arguments.integer(.rounds, default: 3, in: 1...100)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await H2Load.requireInstalled()
        let figures = try await HTTPBench(requests: requests).run(rounds: rounds) { number in
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
