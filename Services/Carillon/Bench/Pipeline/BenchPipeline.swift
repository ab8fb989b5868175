/// `carillon bench pipeline`: a broadcast and single pushes through everything, with simulator and all.
struct BenchPipeline: Command {
    static let declaration = CommandDeclaration(
        "bench pipeline", purpose: "measures a broadcast, and single pushes beside it, through every service",
        options: [.json, .devices],
        notes: """
            Starts a carillon up with the simulator of its own; the programs must lie beside this one, as `make build`
            leaves them. Half of the devices are Apple's and half Google's, whose quota is lifted. Seconds count from the
            request to the last push that the simulator has taken, and to the closed report. With 1,000,000 devices it
            takes two minutes, half of them for registering.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.devices, default: 1_000_000, in: 100...10_000_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { bench in
            try await bench.run()
        }
    }
}
