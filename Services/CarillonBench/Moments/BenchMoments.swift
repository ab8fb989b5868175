import CommandKit

/// `carillon bench moments`: tasks that wait for a good moment of their user.
struct BenchMoments: Command {
    static let declaration = CommandDeclaration(
        "moments", purpose: "measure tasks that wait for a good moment of their user",
        options: [.json, .waiting],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. Each task waits for a user of its own. A hundredth of the users have a device. Pushes to them are
            posted directly, and released by as many moments, in turns; the ratio is that of the rates at which they
            arrive. The latency is the time from posting a moment to the provider's receipt, in an idle pipeline. Then the
            memory is measured that the opens of 100,000 users take, and how far their cohorts are from equal halves.
            1,000,000 tasks take five minutes.
            """)

    private let isJSON: Bool
    private let waiting: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        waiting = try arguments.integer(.waiting, default: 1_000_000, in: 1_000...10_000_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(devices: 0, isJSON: isJSON, on: context.terminal) { pipeline in
            try await MomentsBench(pipeline: pipeline, waiting: waiting).run()
        }
    }
}

extension CommandOption {
    fileprivate static let waiting = CommandOption(
        "--waiting", value: "N", meaning: "Number of tasks that wait (default: 1000000); a hundredth of it is sent")
}
