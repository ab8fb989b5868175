import CommandKit
import ServiceKit

/// `carillon bench outage`: CPU cost of waiting during a provider outage, and time to recovery.
struct BenchOutage: Command {
    static let declaration = CommandDeclaration(
        "outage", purpose: "measure an outage of all providers during a broadcast, and the recovery",
        options: [.json, .devices, .outage],
        notes: """
            Starts its own carillon up with simulator; the programs must be in this program's folder, as `make build`
            places them. Half of the devices are Apple's and half Google's. Both answer every push with 503. A
            broadcast is posted; once no device changes its state any more, the CPU of all programs except the simulator
            is measured for a minute, or for --outage. Then both providers recover. Recovery is the time from there to
            the last push that the simulator accepts, and includes the remaining pause.
            """)

    private let isJSON: Bool
    private let devices: Int
    private let outage: Duration

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.audience()
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
        "--outage", value: "SECONDS", meaning: "Duration of the CPU measurement during the outage (default: 60)")
}
