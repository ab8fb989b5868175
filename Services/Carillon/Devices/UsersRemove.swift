import CommandKit
import JSONKit
import ServiceHost

/// `carillon users remove`: deletes a user, with an account of what stays.
struct UsersRemove: Command {
    static let declaration = CommandDeclaration(
        "users remove", purpose: "remove a user: all devices, and scheduled tasks for this user alone",
        operands: "USER", options: [yes, .json] + APIAccess.options,
        notes: """
            Prints what was removed, and what stays where and until when. The key needs the scope admin. If the command
            is interrupted, repeat it.

            Exit codes: 0 if everything was removed, 1 if the command must be repeated or failed.

            \(APIAccess.notes)
            """)

    private static let yes = CommandOption("--yes", meaning: "Do not ask for confirmation")

    private let user: String
    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        user = try arguments.operand("user id")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        guard try await isConfirmed(context.terminal) else {
            context.terminal.complain("nothing was removed")
            return ExitCode.failure
        }
        let account = try await TaskAPI.with(access) { try await $0.removeUser(user) }
        context.terminal.print(arguments.has(.json) ? account.compactText : UsersRemove.text(account))
        return account["complete"] == .bool(true) ? 0 : ExitCode.failure
    }

    private func isConfirmed(_ terminal: any Terminal) async throws(UsageError) -> Bool {
        if arguments.has(UsersRemove.yes) { return true }
        let name = VisibleBytes(isRaw: false).line(user, charactersMaximum: 120)
        guard let answer = await terminal.confirm("Remove all devices of the user \(name)?") else {
            throw UsageError("no terminal for confirmation; use --yes to remove the user")
        }
        return answer
    }

    static func text(_ account: JSON) -> String {
        let counts = [
            ["devices removed", "\(account.count("devices_removed") ?? 0)"],
            ["tasks cancelled", "\(account.count("tasks_cancelled") ?? 0)"],
        ]
        let detail = account["detail"]?.text.map { [["incomplete", $0]] } ?? []
        let stays = (account["stays"]?.elements ?? []).map { entry in
            ["what", "where", "until"].map { entry[$0]?.text ?? "" }
        }
        return Table(rows: counts + detail).text + "\n"
            + stays.map { "stays: \($0[0])\n  where: \($0[1])\n  until: \($0[2])\n" }.joined()
    }
}
