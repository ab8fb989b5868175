import CommandKit
import PushModel
import ServiceKit

/// `carillon bench send`: rate of pushes, compared with h2load against the same simulator.
struct BenchSend: Command {
    static let declaration = CommandDeclaration(
        "send", purpose: "compare the HTTP/2 client and the APNs sender with h2load, and the web sender with pywebpush",
        options: [.json, .requests, .rounds, .services, .python],
        notes: """
            Starts its own provider-simulators, redis-server and apns-sender; the programs must be in the same folder as
            this one, as `make build` places them, and h2load (package nghttp2-client) must be installed. 100,000
            requests take two minutes.

            A shape such as 4x1000 is four connections with 1,000 requests in flight over all of them together; 20ms is
            the delay of each answer. The figures without a shape are those of 4x1000 without delay. Each round runs
            h2load and then the client with the same requests; the figures are medians over the rounds. On few cores
            both wait for the simulator, so CPU-seconds show the client's cost better than rates.

            The web sender encrypts for browsers of one push service, and pywebpush sends the same pushes to it, one
            after another in one kept session. It then sends to many services, of which 50 are dead (half, if there are
            fewer than 100), and to as many that all live. Each round does all of it. pywebpush must be installed for
            the interpreter.
            """)

    private static let delay = Duration.milliseconds(20)
    private let isJSON: Bool
    private let requests: Int
    private let rounds: Int
    private let services: Int
    private let python: PyWebPush

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        requests = try arguments.requests()
        rounds = try arguments.rounds()
        services = try arguments.integer(.services, default: 4_096, in: DeadOriginsBench.servicesMinimum...4_096)
        python = PyWebPush(python: arguments.value(.python))
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await H2Load.requireInstalled()
        try await python.requireInstalled()
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
        figures += try await apple(simulator, context: context)
        context.terminal.note("the web sender")
        figures += try await WebPushBench(requests: requests, python: python).run(rounds: rounds, in: context)
        context.terminal.note("dead push services")
        figures.append(try await DeadOriginsBench(services: services).run(rounds: rounds, in: context))
        context.terminal.print(figures, isJSON: isJSON)
        return 0
    }

    private func apple(_ simulator: LocalSimulator, context: CommandContext) async throws -> [BenchFigure] {
        let content = DispatchContent.apple(TaskID(high: 1, low: 1))
        let reading = try await ServiceBench(content: content, requests: requests).run(in: context) { app, bus in
            try LocalSender.apple(simulator, app: app, bus: bus)
        }
        return reading.figures("send.apns.service") + [
            BenchFigure(name: "send.apns.rss", value: reading.memoryBytesPeak / 1e6, unit: "MB")
        ]
    }

    private func clients(
        _ target: SendTarget, name: String, shape: SendShape, context: CommandContext
    ) async throws -> [BenchFigure] {
        context.terminal.note("\(name) \(shape.name)")
        let bench = ClientBench(target: target, shape: shape, requests: shape.requests(atMost: requests))
        return try await bench.run(rounds: rounds, name)
    }
}
