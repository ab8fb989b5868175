import CommandKit

/// `carillon devices remove`: removes one device from the registry.
struct DevicesRemove: Command {
    static let declaration = CommandDeclaration(
        "devices remove", purpose: "remove a device from the registry", operands: "DEVICE",
        options: APIAccess.options,
        notes: """
            The app registers the device again when it starts. To keep it away, sign the user out in the app, or
            uninstall the app.

            \(APIAccess.notes)
            """)

    private let id: String
    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        id = try arguments.operand("device id")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        try await TaskAPI.with(access) { try await $0.removeDevice(id) }
        context.terminal.print("\(id) is removed")
        return 0
    }
}
