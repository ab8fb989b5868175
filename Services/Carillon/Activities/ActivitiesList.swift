import CommandKit
import JSONKit

/// `carillon activities list`: the Live Activities of an app.
struct ActivitiesList: Command {
    static let declaration = CommandDeclaration(
        "activities list", purpose: "list the Live Activities, those that began last first",
        options: [limit, before, .json] + APIAccess.options,
        notes: """
            An activity that has ended is listed for 12 hours.

            \(APIAccess.notes)
            """)

    private static let limit = CommandOption(
        "--limit", value: "N", meaning: "Number of activities, up to 1000 (default: 20)")
    private static let before = CommandOption(
        "--before", value: "CURSOR", meaning: "Show the activities after this cursor, which the preceding page printed")

    private let arguments: CommandArguments
    private let limit: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        limit = try arguments.integer(ActivitiesList.limit, default: 20, in: 1...1_000)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let (activities, next) = try await TaskAPI.with(access) { api in
            try await api.activities(limit: limit, before: arguments.value(ActivitiesList.before))
        }
        if arguments.has(.json) {
            for activity in activities { context.terminal.print(activity.compactText) }
        } else if activities.isEmpty {
            context.terminal.print("no activities")
        } else {
            context.terminal.print(ActivityTable.list(activities))
        }
        if let next { context.terminal.complain("more: \(access.command("activities list --before \(next)"))") }
        return 0
    }
}
