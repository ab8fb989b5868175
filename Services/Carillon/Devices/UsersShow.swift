import CommandKit

/// `carillon users show`: the devices of a user.
struct UsersShow: Command {
    static let declaration = CommandDeclaration(
        "users show", purpose: "list the devices of a user", operands: "USER",
        options: [.json] + APIAccess.options, notes: APIAccess.notes)

    private let user: String
    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        user = try arguments.operand("user id")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let devices = try await TaskAPI.with(access) { try await $0.devices(ofUser: user) }
        context.terminal.show(devices, asJSON: arguments.has(.json))
        return 0
    }
}
