import CommandKit

/// `carillon bench pipeline`: a broadcast and single pushes through all services and the simulator.
struct BenchPipeline: Command {
    static let declaration = CommandDeclaration(
        "pipeline", purpose: "measure a broadcast, and single pushes during it, through all services",
        options: [.json, .devices],
        notes: """
            Starts its own carillon up with simulator; the programs must be in this program's folder, as `make build`
            places them. Half of the devices are Apple's and half Google's, without Google's quota. Seconds are
            measured from the request to the last push that the simulator accepts, and to the closed report. 1,000,000
            devices take two minutes, half of them for registration.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.audience()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { bench in
            try await bench.run()
        }
    }
}
