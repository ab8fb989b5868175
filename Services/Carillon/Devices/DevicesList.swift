import CommandKit
import JSONKit
import PushModel

/// `carillon devices list`: the devices of a user, or the one with a token.
struct DevicesList: Command {
    static let declaration = CommandDeclaration(
        "devices list", purpose: "list the devices of a user, or find the one with a token",
        options: [user, token, kind, .json] + APIAccess.options, notes: APIAccess.notes)

    private static let user = CommandOption("--user", value: "USER", meaning: "The user's id, as the app registered it")
    private static let token = CommandOption(
        "--token", value: "TOKEN", meaning: "The provider's token; requires --protocol")
    private static let kind = CommandOption(
        "--protocol", value: "PROTOCOL", meaning: "The token's protocol: \(protocols)")

    private static let protocols = PushProtocol.ofDevices.map(\.name).joined(separator: ", ")

    private enum Choice {
        case user(String)
        case token(String, kind: String)
    }

    private let choice: Choice
    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        let (token, kind) = (arguments.value(DevicesList.token), arguments.value(DevicesList.kind))
        switch (arguments.value(DevicesList.user), token, kind) {
        case (let user?, nil, nil): choice = .user(user)
        case (nil, let token?, let kind?): choice = .token(token, kind: kind)
        default: throw UsageError("expected --user USER, or --token TOKEN and --protocol PROTOCOL")
        }
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let devices = try await TaskAPI.with(access) { api in
            switch choice {
            case .user(let user): try await api.devices(ofUser: user)
            case .token(let token, let kind): try await api.devices(withToken: token, ofProtocol: kind)
            }
        }
        context.terminal.show(devices, asJSON: arguments.has(.json))
        return 0
    }
}

extension Terminal {
    /// Prints a list of devices.
    func show(_ devices: [JSON], asJSON isJSON: Bool) {
        if isJSON {
            for device in devices { print(device.compactText) }
        } else if devices.isEmpty {
            print("no devices")
        } else {
            print(DeviceTable.list(devices))
        }
    }
}
