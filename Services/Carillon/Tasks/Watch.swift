/// `carillon watch`: follows a task until it is closed.
struct Watch: Command {
    static let declaration = CommandDeclaration(
        "watch", purpose: "shows how far a task is, until everything has become of it", operands: "TASK",
        options: [.json] + APIAccess.options,
        notes: """
            On a terminal one line is drawn over and over; elsewhere there is a line whenever something has changed.

            \(APIAccess.notes)

            Exit codes: 0 when everything was delivered, \(TaskExitCode.notAllDelivered) when something ended otherwise, \
            \(TaskExitCode.cancelled) when the task was cancelled, 1 when there is no such task, nobody could
            look for its devices, or the API stays away for half a minute.
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
    /// The one operand of the commands about one task.
    func task() throws(UsageError) -> String {
        guard operands.count == 1 else { throw UsageError("name one task") }
        return operands[0]
    }
}
