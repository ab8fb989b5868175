import CommandKit

/// `carillon bench pipeline`: a broadcast and single pushes through all services and the simulator.
struct BenchPipeline: Command {
    static let declaration = CommandDeclaration(
        "pipeline", purpose: "measure a broadcast, and single pushes during it, through all services",
        options: [.json, .devices],
        notes: """
            Starts its own carillon up with simulator; the programs must be in this program's folder, as `make build`
            places them, and h2load (package nghttp2-client) must be installed. Half of the devices are Apple's and half
            Google's, without Google's quota. Seconds are measured from the request to the last push that the simulator
            accepts, and to the closed report. 1,000,000 devices take two minutes, half of them for registration.

            After the broadcast h2load sends the same simulator as many requests, over 4 connections with 250 at a
            time: half of them the last push to Apple again, with its headers and its body, to 1,000 devices in turn,
            and half the last push to Google. limit_cpu_seconds is the CPU of h2load and of the simulator for these
            requests, and limit_ratio the CPU of all programs for the broadcast, the simulator included, divided by it.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.audience()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await H2Load.requireInstalled()
        return try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { bench in
            try await bench.run()
        }
    }
}
