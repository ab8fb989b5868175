import CommandKit

/// `carillon watch`: follows a task until it is closed.
struct Watch: Command {
    static let declaration = CommandDeclaration(
        "watch", purpose: "show the progress of a task until it is closed", operands: "TASK",
        options: [.json] + APIAccess.options,
        notes: """
            On a terminal one line is redrawn; otherwise a line is printed whenever something has changed.

            \(APIAccess.notes)

            Exit codes: 0 if everything was delivered, \(TaskExitCode.notAllDelivered) if any device ended otherwise, \
            \(TaskExitCode.cancelled) if the task was cancelled, 1 if there is no such task, its devices
            could not be resolved, or the API is unavailable for 30 seconds.
            """)

    private let arguments: CommandArguments
    private let id: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        id = try arguments.task()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await TaskAPI.with(try APIAccess(arguments, variables: context.variables)) { api in
            try await Watcher(api, terminal: context.terminal, isJSON: arguments.has(.json)).watch(id)
        }
    }
}

extension CommandArguments {
    /// The single operand of the commands about one task.
    func task() throws(UsageError) -> String {
        guard operands.count == 1 else { throw UsageError("expected one task id") }
        return operands[0]
    }
}
