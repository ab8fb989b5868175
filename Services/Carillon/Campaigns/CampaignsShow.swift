import CommandKit
import HTTPClient
import JSONKit
import ServiceKit
import TaskModel

/// `carillon campaigns show`: both cohorts of a campaign.
struct CampaignsShow: Command {
    static let declaration = CommandDeclaration(
        "campaigns show", purpose: "compare sending at good moments with sending at once",
        operands: "CAMPAIGN", options: [from, to, .json] + APIAccess.options,
        notes: """
            \(APIAccess.notes)

            CAMPAIGN is the label campaign of tasks with --within, such as carillon push --within 3h --method compare
            --label campaign=spring. A bar shows the opens per delivery, and the range in which the true rate lies with
            95 % confidence.
            """)

    private static let from = CommandOption(
        "--from", value: "TIME",
        meaning: "Begin with this time or day, such as 2026-12-24 (default: 30 days before --to)")
    private static let to = CommandOption("--to", value: "TIME", meaning: "End before this time or day (default: now)")

    private let arguments: CommandArguments
    private let campaign: String
    private let query: [(name: String, value: String)]

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        campaign = try arguments.operand("campaign")
        guard TaskLabels.isValue(campaign) else {
            throw UsageError("\(OutsideText.excerpt(campaign)): expected a campaign of \(TaskLabels.valueRule)")
        }
        var query: [(name: String, value: String)] = []
        for (name, option) in [("from", CampaignsShow.from), ("to", CampaignsShow.to)] {
            guard let text = arguments.value(option) else { continue }
            query.append((name, try StatisticsTime.text(text, option: option)))
        }
        self.query = query
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let answer = try await TaskAPI.with(access) { try await $0.campaign(campaign, query: query) }
        if arguments.has(.json) {
            context.terminal.print(answer.compactText)
            return 0
        }
        guard let table = CampaignTable(answer) else {
            throw APIError(.foreign, description: "the API response is not a campaign")
        }
        let terminal = context.terminal
        terminal.print(table.text(isTerminal: terminal.isTerminal, styling: terminal.styling))
        return 0
    }
}

extension TaskAPI {
    func campaign(_ name: String, query: [(name: String, value: String)]) async throws -> JSON {
        let text = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        return try await send(
            .get, "/campaigns/\(PercentEncoding.encode(name))\(text.isEmpty ? "" : "?\(text)")")
    }
}
