import CommandKit

/// `carillon bench audience`: filters over many devices.
struct BenchAudience: Command {
    static let declaration = CommandDeclaration(
        "audience", purpose: "measure a filter over many devices, and single pushes beside it",
        options: [.json, .devices],
        notes: """
            Starts its own carillon up with simulator; the programs must be in this program's folder, as `make build`
            places them. The filter matches a hundred devices and reads the records of all, in one resolver. Seconds are
            measured from the request to the last push that the simulator accepts. 1,000,000 devices take three minutes,
            most of them for registration.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.audience()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { pipeline in
            try await AudienceBench(pipeline: pipeline).run()
        }
    }
}
