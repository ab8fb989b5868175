import CommandKit

/// `carillon bench activities`: updates of Live Activities by tokens and by a channel.
struct BenchActivities: Command {
    static let declaration = CommandDeclaration(
        "activities", purpose: "measure updates of Live Activities",
        options: [.json, .tokens, .burstSeconds],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. First an activity is updated whose 1,000 simulated phones share a channel, and the requests to Apple
            are counted. Broadcasts to all devices and updates of an activity that runs on each of them are sent in
            turns; the ratio is that of the rates at which they arrive. Then two connections post 20 updates a second of an
            activity on 1,000 simulated phones: stale is the number of phones that do not show the last state in the
            end, worst the largest number of pushes to one phone in a second. The latency is the time from posting an
            update until the first phone shows its state, or a later one. 100,000 devices take three minutes.
            """)

    private let isJSON: Bool
    private let devices: Int
    private let burstSeconds: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.tokens, default: 100_000, in: 100...10_000_000)
        burstSeconds = try arguments.integer(.burstSeconds, default: 60, in: 1...3_600)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { pipeline in
            let channel = try await ActivityChannelBench(pipeline: pipeline).run()
            let updates = try await ActivityBench(pipeline: pipeline).run()
            return channel + updates + (try await ActivityBurst(pipeline: pipeline, seconds: burstSeconds).run())
        }
    }
}

extension CommandOption {
    fileprivate static let tokens = CommandOption(
        "--devices", value: "N", meaning: "Number of devices that run an activity (default: 100000)")
    fileprivate static let burstSeconds = CommandOption(
        "--burst-seconds", value: "N", meaning: "How long 20 updates a second are posted (default: 60)")
}
