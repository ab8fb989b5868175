import CommandKit
import JSONKit
import ServiceKit

/// `carillon tasks`: the newest tasks, or those that wait for their time.
struct TasksList: Command {
    static let declaration = CommandDeclaration(
        "tasks", purpose: "list the newest tasks", options: [scheduled, limit, before, .json] + APIAccess.options,
        notes: APIAccess.notes)

    private static let scheduled = CommandOption(
        "--scheduled", meaning: "List the tasks that wait for their time, the next first")
    private static let limitMaximum = 1_000
    private static let limit = CommandOption(
        "--limit", value: "N", meaning: "Number of tasks, up to 1000 (default: 20)")
    private static let before = CommandOption(
        "--before", value: "CURSOR", meaning: "Show the tasks before this cursor, which the preceding page printed")

    private let arguments: CommandArguments
    private let limit: Int

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        limit = try arguments.integer(TasksList.limit, default: 20, in: 1...TasksList.limitMaximum)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let terminal = context.terminal
        let access = try APIAccess(arguments, in: context)
        let isOfScheduled = arguments.has(TasksList.scheduled)
        let (tasks, next) = try await TaskAPI.with(access) { api in
            try await api.list(
                limit: limit, before: arguments.value(TasksList.before), ofScheduled: isOfScheduled)
        }
        if arguments.has(.json) {
            for task in tasks { terminal.print(task.compactText) }
        } else if tasks.isEmpty {
            terminal.print(isOfScheduled ? "no scheduled tasks" : "no tasks")
        } else {
            terminal.print(
                TasksList.table(
                    tasks, time: isOfScheduled ? "send_at" : "created", styling: terminal.styling))
        }
        if let next {
            let option = isOfScheduled ? " --scheduled" : ""
            terminal.complain("more: \(access.command("tasks\(option) --before \(next)"))")
        }
        return 0
    }

    /// `time` is the name of the field in the second column.
    static func table(_ tasks: [JSON], time: String = "created", styling: Styling) -> Table {
        let visible = VisibleBytes(isRaw: false)
        return Table(
            header: ["TASK", time.uppercased(), "STATE", "TARGETED", "OUTCOMES"],
            rows: tasks.map { task in
                let status = ReportedTask(task)
                let state = task["state"]?.text ?? ""
                var row = [
                    task["id"]?.text ?? "", task[time]?.text ?? "",
                    task["cancelled"] == .bool(true) ? "\(state), cancelled" : state,
                    status.map { "\($0.targeted)" } ?? "", status?.outcomesText ?? "",
                ].map { visible.line($0, charactersMaximum: 120) }
                row[2] = styling.apply(status?.style, to: row[2])
                return row
            })
    }
}
