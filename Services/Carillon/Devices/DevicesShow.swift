import CommandKit
import JSONKit

/// `carillon devices show`: the record of one device.
struct DevicesShow: Command {
    static let declaration = CommandDeclaration(
        "devices show", purpose: "show the record of a device and its topics", operands: "DEVICE",
        options: [.json] + APIAccess.options, notes: APIAccess.notes)

    private let id: String
    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        id = try arguments.operand("device id")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, variables: context.variables)
        let device = try await TaskAPI.with(access) { try await $0.device(id) }
        context.terminal.print(arguments.has(.json) ? device.compactText : DeviceTable.details(device))
        return 0
    }
}

extension CommandArguments {
    /// The single operand of a command. `what` completes "expected one …".
    func operand(_ what: String) throws(UsageError) -> String {
        guard operands.count == 1, !operands[0].isEmpty else { throw UsageError("expected one \(what)") }
        return operands[0]
    }
}
