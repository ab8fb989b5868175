import ServiceKit

/// `carillon bench send`: how fast pushes go out, beside h2load against the same simulator.
struct BenchSend: Command {
    static let declaration = CommandDeclaration(
        "bench send", purpose: "measures the HTTP/2 client and the APNs sender beside h2load",
        options: [.json, .requests, .rounds],
        notes: """
            Starts provider-simulators, a redis-server and an apns-sender of its own; they must lie beside this program, as
            `make build` leaves them, and h2load (of nghttp2-client) must be installed. With 100,000 requests it takes two
            minutes.

            A shape such as 4x1000 is four connections with 1,000 requests in flight over all of them together; 20ms is how
            long the server holds back each answer. The figures without a shape are those of 4x1000 without delay. Each
            round runs h2load and then the client with the same requests; the figures are the medians of the rounds. On few
            cores both wait for the simulator, so that CPU-seconds tell the client's cost better than rates do.
            """)

    private static let delay = Duration.milliseconds(20)
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
        let simulator = try await LocalSimulator()
        let delayed = try await LocalSimulator(delay: BenchSend.delay)
        var figures: [BenchFigure] = []
        for shape in SendShape.all {
            figures += try await clients(.apple(simulator), name: "send.apns.client", shape: shape, context: context)
        }
        for shape in SendShape.all {
            let slow = shape.delayed(BenchSend.delay)
            figures += try await clients(.apple(delayed), name: "send.apns.client", shape: slow, context: context)
        }
        let google = try await SendTarget.google(simulator)
        figures += try await clients(google, name: "send.fcm.client", shape: .reference, context: context)
        context.terminal.complain("the APNs sender …")
        figures += try await ServiceBench(simulator: simulator, requests: requests).run(in: context)
        if isJSON {
            for figure in figures { context.terminal.print(figure.json) }
        } else {
            context.terminal.print(BenchFigure.table(figures))
        }
        return 0
    }

    private func clients(
        _ target: SendTarget, name: String, shape: SendShape, context: CommandContext
    ) async throws -> [BenchFigure] {
        context.terminal.complain("\(name) \(shape.name) …")
        let bench = ClientBench(target: target, shape: shape, requests: shape.requests(atMost: requests))
        return try await bench.run(rounds: rounds, name)
    }
}

extension CommandOption {
    static let requests = CommandOption(
        "--requests", value: "N", meaning: "How many are sent in each run; 100000 by default.")
}
