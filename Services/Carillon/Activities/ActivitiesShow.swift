import CommandKit
import JSONKit

/// `carillon activities show`: one Live Activity.
struct ActivitiesShow: Command {
    static let declaration = CommandDeclaration(
        "activities show", purpose: "show a Live Activity: its newest state, and the tasks that sent one",
        operands: "ID", options: [.json] + APIAccess.options,
        notes: """
            The tasks are the last eight. Each timestamp is higher than the one before: phones keep the state with the
            highest. High priority counts against the hourly budget that Apple gives the app.

            \(APIAccess.notes)
            """)

    private let operand: ActivityOperand

    init(_ arguments: CommandArguments) throws(UsageError) {
        operand = try ActivityOperand(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let activity = try await TaskAPI.with(operand.access(in: context)) { try await $0.activity(operand.id) }
        context.terminal.print(
            operand.arguments.has(.json) ? activity.compactText : ActivityTable.details(activity))
        return 0
    }
}
