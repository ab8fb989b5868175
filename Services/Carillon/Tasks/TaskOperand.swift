import CommandKit

/// The task that the single operand of a command names, and the way to the API that knows it.
struct TaskOperand: Sendable {
    let id: String
    let isJSON: Bool
    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) throws(UsageError) {
        guard arguments.operands.count == 1 else { throw UsageError("expected one task id") }
        id = arguments.operands[0]
        isJSON = arguments.has(.json)
        self.arguments = arguments
    }

    func access(in context: CommandContext) throws -> APIAccess {
        try APIAccess(arguments, in: context)
    }
}
