import CommandKit
import ServiceKit

/// `carillon bench send`: rate of pushes, compared with h2load against the same simulator.
struct BenchSend: Command {
    static let declaration = CommandDeclaration(
        "send", purpose: "compare the HTTP/2 client and the APNs sender with h2load",
        options: [.json, .requests, .rounds],
        notes: """
            Starts its own provider-simulators, redis-server and apns-sender; the programs must be in the same folder as
            this one, as `make build` places them, and h2load (package nghttp2-client) must be installed. 100,000
            requests take two minutes.

            A shape such as 4x1000 is four connections with 1,000 requests in flight over all of them together; 20ms is
            the delay of each answer. The figures without a shape are those of 4x1000 without delay. Each round runs
            h2load and then the client with the same requests; the figures are medians over the rounds. On few cores
            both wait for the simulator, so CPU-seconds show the client's cost better than rates.
            """)

    private static let delay = Duration.milliseconds(20)
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
        context.terminal.note("the APNs sender")
        figures += try await ServiceBench(simulator: simulator, requests: requests).run(in: context)
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }

    private func clients(
        _ target: SendTarget, name: String, shape: SendShape, context: CommandContext
    ) async throws -> [BenchFigure] {
        context.terminal.note("\(name) \(shape.name)")
        let bench = ClientBench(target: target, shape: shape, requests: shape.requests(atMost: requests))
        return try await bench.run(rounds: rounds, name)
    }
}
