import CommandKit

/// `carillon bench tasks`: how many tasks a second become durable in requests with many.
struct BenchTasks: Command {
    static let declaration = CommandDeclaration(
        "tasks", purpose: "measure how many tasks a second become durable in requests of a thousand",
        options: [.json, .devices, .seconds],
        notes: """
            Uses a carillon up with simulator; the programs must be in this program's folder, as `make build` places
            them. Redis gets \(memory) and each topic \(channelBytes), so that the resolvers' backlog fits. Each device
            belongs to a user. Requests to /v1/tasks/batch with \(TasksBench.tasksPerRequest) tasks for one user each are
            posted over \(TasksBench.connections) connections, as fast as they are answered. The rate is that of
            accepted tasks, which the other services work on meanwhile; the benchmark fails if one is refused, and does
            not wait until all are sent. The backlog is the number of tasks whose push is not at the simulator when
            posting ends.
            """)

    private static let memory = "8GiB"
    private static let channelBytes = "2GiB"

    private let isJSON: Bool
    private let devices: Int
    private let seconds: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        isJSON = arguments.has(.json)
        devices = try arguments.integer(.devices, default: 200_000, in: TasksBench.tasksPerRequest...10_000_000)
        seconds = try arguments.integer(.seconds, default: 60, in: 1...600)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await PipelineBench.run(
            devices: devices, memory: BenchTasks.memory,
            variables: ["CARILLON_BUS_CHANNEL_BYTES": BenchTasks.channelBytes], isJSON: isJSON, on: context.terminal
        ) { pipeline in
            try await TasksBench(pipeline: pipeline, duration: .seconds(seconds)).run()
        }
    }
}

extension CommandOption {
    fileprivate static let seconds = CommandOption(
        "--seconds", value: "N", meaning: "How long tasks are posted (default: 60)")
}
