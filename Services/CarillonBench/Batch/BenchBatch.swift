import CommandKit

/// `carillon bench batch`: AppMetrica's requests of a quarter of a million ids.
struct BenchBatch: Command {
    static let declaration = CommandDeclaration(
        "batch", purpose: "measure AppMetrica's requests with a quarter of a million ids",
        options: [.json, .devices],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. A quarter of the devices is addressed by short ids in one element, one by Google's tokens, each once
            the one before is sent, one by an element for each id, and one, beside that, by two such requests at once.
            Seconds are those from the request to its answer, and from the answer to the first push at the simulator.
            Single pushes are sent meanwhile. Memory is the peak of ingest-api. The rate is that of a group with two
            transfers at 500 a second, for a minute, counted in whole seconds from the second one on. Fails if a
            transfer does not end with the sums of its devices. 1,000,000 devices take eight minutes.
            """)

    private let isJSON: Bool
    private let devices: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.audience()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { pipeline in
            try await BatchBench(pipeline: pipeline).run()
        }
    }
}
