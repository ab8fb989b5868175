import CommandKit
import JSONKit

/// `carillon subscriptions show`: the subscribers of a topic and the publications to it.
struct SubscriptionsShow: Command {
    static let declaration = CommandDeclaration(
        "subscriptions show", purpose: "show a topic's subscribers and publications", operands: "TOPIC",
        options: [.json] + APIAccess.options, notes: APIAccess.notes)

    private let arguments: CommandArguments
    private let topic: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        topic = try arguments.operand("name of a topic that devices subscribe to")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let figures = try await TaskAPI.with(access) { try await $0.topic(topic) }
        context.terminal.print(arguments.has(.json) ? figures.compactText : SubscriptionsShow.text(figures))
        return 0
    }

    private static func text(_ figures: JSON) -> String {
        Table(
            rows: [
                ["subscribers", "\(figures.count("subscribers") ?? 0)"],
                ["since", figures["created"]?.text ?? ""],
                ["publications", "\(figures.count("publications") ?? 0)"],
                ["last", figures["last"]?.text ?? "none"],
            ]
        ).text
    }
}
