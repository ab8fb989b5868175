import CommandKit
import JSONKit
import PushModel

/// `carillon activities devices`: the tokens and channels of a Live Activity.
struct ActivitiesDevices: Command {
    static let declaration = CommandDeclaration(
        "activities devices", purpose: "list the tokens and channels of a Live Activity, and what each got last",
        operands: "ID", options: [limit, after, .json] + APIAccess.options,
        notes: """
            A token belongs to one device and one activity. A device on which the activity was started, but that is not
            listed, has not reported its token, or shares a channel, which is listed without a device.

            \(APIAccess.notes)
            """)

    private static let limit = CommandOption(
        "--limit", value: "N", meaning: "Number of tokens, up to 1000 (default: 20)")
    private static let after = CommandOption(
        "--after", value: "CURSOR", meaning: "Show the tokens after this cursor, which the preceding page printed")

    private let operand: ActivityOperand
    private let limit: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        operand = try ActivityOperand(arguments)
        limit = try arguments.integer(ActivitiesDevices.limit, default: 20, in: 1...1_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try operand.access(in: context)
        let after = operand.arguments.value(ActivitiesDevices.after)
        let (devices, next) = try await TaskAPI.with(access) { api in
            try await api.devices(ofActivity: operand.id, limit: limit, after: after)
        }
        if operand.arguments.has(.json) {
            for device in devices { context.terminal.print(device.compactText) }
        } else if devices.isEmpty {
            context.terminal.print("no tokens or channels")
        } else {
            context.terminal.print(ActivityTable.devices(devices))
        }
        if let next {
            let id = VisibleBytes(isRaw: false).line(operand.id.text, charactersMaximum: ActivityID.bytesMaximum)
            context.terminal.complain("more: \(access.command("activities devices \(id) --after \(next)"))")
        }
        return 0
    }
}
