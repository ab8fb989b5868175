import ServiceKit

/// `carillon bench http`: the HTTP server alone, beside libmicrohttpd.
struct BenchHTTP: Command {
    static let declaration = CommandDeclaration(
        "bench http", purpose: "measures the HTTP server alone, beside libmicrohttpd",
        options: [.json, .requests, .rounds],
        notes: """
            Starts servers of its own; the program BareLoops must lie beside this one, as `make build` leaves it, and
            h2load (of nghttp2-client) must be installed. With 100,000 requests it takes about half a minute.

            Both servers answer a posted task with a fixed 201, given from another thread than the one that reads, and use
            one thread for their sockets. Each round drives first the one and then the other with h2load, over the same 64
            connections. Then 5,000 connections that say nothing are opened to ours: http.idle.bytes is what each of them
            takes in the server's process.
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
