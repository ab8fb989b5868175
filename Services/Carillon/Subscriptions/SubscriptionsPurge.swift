import CommandKit
import ServiceHost

/// `carillon subscriptions purge`: ends all subscriptions to a topic.
struct SubscriptionsPurge: Command {
    static let declaration = CommandDeclaration(
        "subscriptions purge", purpose: "end all subscriptions to a topic", operands: "TOPIC",
        options: [yes] + APIAccess.options,
        notes: """
            Devices that subscribe again afterwards stay subscribed. The key needs the scope admin.

            \(APIAccess.notes)
            """)

    private static let yes = CommandOption("--yes", meaning: "Do not ask for confirmation")

    private let arguments: CommandArguments
    private let topic: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        topic = try arguments.operand("name of a topic that devices subscribe to")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let name = VisibleBytes(isRaw: false).line(topic, charactersMaximum: 120)
        guard try await isConfirmed(name, terminal: context.terminal) else {
            context.terminal.complain("nothing was ended")
            return ExitCode.failure
        }
        try await TaskAPI.with(access) { try await $0.purgeTopic(topic) }
        context.terminal.print("all subscriptions to \(name) have ended")
        return 0
    }

    private func isConfirmed(_ name: String, terminal: any Terminal) async throws(UsageError) -> Bool {
        if arguments.has(SubscriptionsPurge.yes) { return true }
        guard let answer = await terminal.confirm("End all subscriptions to \(name)?") else {
            throw UsageError("no terminal for confirmation; use --yes to end all subscriptions")
        }
        return answer
    }
}
