import CommandKit

/// `carillon bench schedule`: the memory of scheduled tasks, their release and lateness, and the accuracy of a rate.
struct BenchSchedule: Command {
    static let declaration = CommandDeclaration(
        "schedule", purpose: "measure scheduled tasks, and a task that is sent at a rate",
        options: [.json, .devices, .tasks],
        notes: """
            Memory is that of tasks in a redis-server of its own, without their content. The rest uses a carillon up with
            simulator, and a second resolver; the programs must be in this program's folder, as `make build` places
            them. The same single pushes are posted directly, and scheduled for one instant; the ratio is that of the
            rates at which they arrive. Lateness is the time from send_at to the provider's receipt, of pushes to one
            device, idle and during a push to every device. The rate is 500 devices a second for a minute, counted in
            whole seconds from the second one on. 1,000,000 devices take five minutes.
            """)

    private let isJSON: Bool
    private let devices: Int
    private let tasks: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.audience()
        tasks = try arguments.integer(.tasks, default: 1_000_000, in: 1_000...10_000_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        context.terminal.note("\(tasks) scheduled tasks in the index")
        let memory = try await ScheduleMemoryBench(tasks: tasks).run()
        return try await PipelineBench.run(devices: devices, isJSON: isJSON, on: context.terminal) { pipeline in
            let bench = ScheduleBench(pipeline: pipeline, pushes: min(10_000, tasks / 100))
            return [memory] + (try await bench.run())
        }
    }
}

extension CommandOption {
    fileprivate static let tasks = CommandOption(
        "--tasks", value: "N", meaning: "Number of tasks in the index (default: 1000000); a hundredth of it is sent")
}
