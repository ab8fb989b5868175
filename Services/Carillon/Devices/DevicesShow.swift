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
        let access = try APIAccess(arguments, in: context)
        let device = try await TaskAPI.with(access) { try await $0.device(id) }
        context.terminal.print(arguments.has(.json) ? device.compactText : DeviceTable.details(device))
        return 0
    }
}
