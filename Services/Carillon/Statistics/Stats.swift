import CommandKit
import JSONKit
import ServiceKit
import TaskModel

/// `carillon stats`: the outcomes and opens of tasks.
struct Stats: Command {
    static let declaration = CommandDeclaration(
        "stats", purpose: "show the outcomes and opens of tasks by time, label, topic, dialect, platform or cohort",
        options: [by, name, from, to, interval, .json] + APIAccess.options,
        notes: """
            \(APIAccess.notes)

            A task counts at the time for which it was to be sent, once it is closed; opens, as the app reports them,
            count on the day of their task. Times are UTC.
            """)

    private static let by = CommandOption(
        "--by", value: "WHAT", meaning: "total (default), label, topic, dialect, platform or cohort")
    private static let name = CommandOption("--name", value: "LABEL", meaning: "With --by label: which one")
    private static let from = CommandOption(
        "--from", value: "TIME",
        meaning: "Begin with this time or day, such as 2026-12-24 (default: 7 days before --to)")
    private static let to = CommandOption("--to", value: "TIME", meaning: "End before this time or day (default: now)")
    private static let interval = CommandOption(
        "--interval", value: "LENGTH", meaning: "hour, for the last 7 days, or day (default)")

    private let arguments: CommandArguments
    private let query: [(name: String, value: String)]

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        query = try Stats.query(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let terminal = context.terminal
        let access = try APIAccess(arguments, in: context)
        let statistics = try await TaskAPI.with(access) { try await $0.statistics(query) }
        if arguments.has(.json) {
            for row in statistics.rows { terminal.print(row.document.compactText) }
        } else if statistics.rows.isEmpty {
            terminal.print("no closed tasks from \(statistics.from) to \(statistics.to)")
        } else {
            terminal.print(StatisticsTable(statistics: statistics, hasBars: terminal.isTerminal).table)
            if terminal.isTerminal { terminal.complain(StatisticsTable.legend) }
        }
        if let next = statistics.next {
            terminal.complain("more: \(access.command("stats \(words(from: next))"))")
        }
        return 0
    }

    private func words(from next: String) -> String {
        (query.filter { $0.name != "from" } + [("from", next)]).map { "--\($0.name) \($0.value)" }
            .joined(separator: " ")
    }

    private static func query(_ arguments: CommandArguments) throws(UsageError) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        if let dimension = arguments.value(by) {
            guard ["total", "label", "topic", "dialect", "platform", "cohort"].contains(dimension) else {
                throw UsageError("--by \(dimension): expected total, label, topic, dialect, platform or cohort")
            }
            query.append(("by", dimension))
        }
        let label = arguments.value(name)
        guard (arguments.value(by) == "label") == (label != nil) else {
            throw UsageError("--by label and --name LABEL belong together, such as --by label --name campaign")
        }
        if let label {
            guard TaskLabels.isName(label) else {
                throw UsageError("--name \(OutsideText.excerpt(label)): expected \(TaskLabels.nameRule)")
            }
            query.append(("name", label))
        }
        for (name, option) in [("from", from), ("to", to)] {
            guard let text = arguments.value(option) else { continue }
            query.append((name, try StatisticsTime.text(text, option: option)))
        }
        if let length = arguments.value(interval) {
            guard ["hour", "day"].contains(length) else {
                throw UsageError("--interval \(length): expected hour or day")
            }
            query.append(("interval", length))
        }
        return query
    }
}

extension TaskAPI {
    /// Of 10,000 rows with the longest values.
    private static let statisticsLimits = JSONLimits(
        bytesMaximum: 8 << 20, valuesMaximum: 200_000, containersMaximum: 40_000)

    func statistics(_ query: [(name: String, value: String)]) async throws -> ReportedStatistics {
        let text = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        let answer = try await read("/statistics\(text.isEmpty ? "" : "?\(text)")", limits: TaskAPI.statisticsLimits)
        guard let statistics = ReportedStatistics(answer) else {
            throw APIError(.foreign, description: "the API response contains no statistics")
        }
        return statistics
    }
}
