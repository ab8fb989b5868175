import CommandKit

extension CommandArguments {
    /// The single operand of a command. `what` completes "expected one …".
    func operand(_ what: String) throws(UsageError) -> String {
        guard operands.count == 1, !operands[0].isEmpty else { throw UsageError("expected one \(what)") }
        return operands[0]
    }
}
