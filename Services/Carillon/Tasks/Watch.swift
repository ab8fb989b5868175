import CommandKit

/// `carillon watch`: follows a task until it is closed.
struct Watch: Command {
    static let declaration = CommandDeclaration(
        "watch", purpose: "show the progress of a task until it is closed", operands: "TASK",
        options: [.json] + APIAccess.options,
        notes: """
            On a terminal one line is redrawn: the rate, the time that the rest takes at this rate, and what devices
            wait for; the last line is the result. Otherwise a line is printed whenever something has changed.

            \(APIAccess.notes)

            Exit codes: 0 if everything was delivered or no device matched, which is a warning, \(TaskExitCode.notAllDelivered) if any device ended otherwise, \
            \(TaskExitCode.cancelled) if the task was cancelled, 1 if there is no such task, its devices
            could not be resolved, or the API is unavailable for 30 seconds.
            """)

    private let task: TaskOperand

    init(_ arguments: CommandArguments) throws(UsageError) {
        task = try TaskOperand(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try task.access(in: context)
        return try await TaskAPI.with(access) { api in
            try await Watcher(api, terminal: context.terminal, isJSON: task.isJSON, command: access.command)
                .watch(task.id)
        }
    }
}
