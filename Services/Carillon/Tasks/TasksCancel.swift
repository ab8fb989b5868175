/// `carillon tasks cancel`: rings nobody further.
struct TasksCancel: Command {
    static let declaration = CommandDeclaration(
        "tasks cancel", purpose: "rings no further devices of a task", operands: "TASK", options: APIAccess.options,
        notes: """
            Devices that were rung stay so; the others end as cancelled. Cancelling again changes nothing.

            \(APIAccess.notes)
            """)

    private let arguments: CommandArguments
    private let id: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        id = try arguments.task()
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, variables: context.variables)
        try await TaskAPI.with(access) { try await $0.cancel(id) }
        context.terminal.print("\(id) is being cancelled\nfollow it with: carillon watch \(id)\(access.words)")
        return 0
    }
}
