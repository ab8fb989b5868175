import ServiceKit

/// `carillon bench outage`: what it costs to wait for providers in an outage, and how soon pushes go on after it.
struct BenchOutage: Command {
    static let declaration = CommandDeclaration(
        "bench outage", purpose: "measures an outage of all providers while a broadcast waits, and its end",
        options: [.json, .devices, .outage],
        notes: """
            Starts a carillon up with the simulator of its own; the programs must lie beside this one, as `make build`
            leaves them. Half of the devices are Apple's and half Google's. Both answer every push with 503; a broadcast
            is posted, and once no device moves any more the CPU of all programs but the simulator is measured for a
            minute, or for as long as --outage says. Then both are well again. Recovery counts from there to the last
            push that the simulator has taken, and so includes what is left of the pause.
            """)

    private let isJSON: Bool
    private let devices: Int
    private let outage: Duration

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.devices, default: 1_000_000, in: 100...10_000_000)
        outage = .seconds(try arguments.integer(.outage, default: 60, in: 5...3_600))
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { bench in
            try await OutageBench(pipeline: bench, outage: outage).run()
        }
    }
}

extension CommandOption {
    fileprivate static let outage = CommandOption(
        "--outage", value: "SECONDS", meaning: "For how long the CPU of the outage is measured; 60 by default.")
}
