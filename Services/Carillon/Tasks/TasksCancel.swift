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

    private let task: TaskOperand

    init(_ arguments: CommandArguments) throws(UsageError) {
        task = try TaskOperand(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try task.access(in: context)
        try await TaskAPI.with(access) { try await $0.cancel(task.id) }
        context.terminal.print(
            "\(task.id) is being cancelled\nfollow it with: \(access.command("watch \(task.id)"))")
        return 0
    }
}
