import CommandKit

/// `carillon tasks cancel`: stops sending to further devices.
struct TasksCancel: Command {
    static let declaration = CommandDeclaration(
        "tasks cancel", purpose: "cancel a task: send to no further devices", operands: "TASK",
        options: APIAccess.options,
        notes: """
            Pushes that were already sent are not recalled; the remaining devices end as cancelled. Idempotent.

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
