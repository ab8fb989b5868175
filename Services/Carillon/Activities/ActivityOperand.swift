import CommandKit
import PushModel
import ServiceKit

/// The Live Activity that the single operand of a command names, and the way to the API that knows it.
struct ActivityOperand: Sendable {
    let id: ActivityID
    let arguments: CommandArguments

    init(_ arguments: CommandArguments) throws(UsageError) {
        let text = try arguments.operand("activity id")
        do throws(InvalidValueError) {
            id = try ActivityID(text)
        } catch {
            throw UsageError("activity id \(OutsideText.excerpt(text)): \(error)")
        }
        self.arguments = arguments
    }

    func access(in context: CommandContext) throws -> APIAccess {
        try APIAccess(arguments, in: context)
    }
}
