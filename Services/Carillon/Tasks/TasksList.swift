import CommandKit
import JSONKit
import ServiceKit

/// `carillon tasks`: the newest tasks.
struct TasksList: Command {
    static let declaration = CommandDeclaration(
        "tasks", purpose: "list the newest tasks", options: [limit, before, .json] + APIAccess.options,
        notes: APIAccess.notes)

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
        let access = try APIAccess(arguments, variables: context.variables)
        let (tasks, next) = try await TaskAPI.with(access) { api in
            try await api.list(limit: limit, before: arguments.value(TasksList.before))
        }
        if arguments.has(.json) {
            for task in tasks { terminal.print(task.compactText) }
        } else if tasks.isEmpty {
            terminal.print("no tasks")
        } else {
            terminal.print(TasksList.table(tasks))
        }
        if let next { terminal.complain("more: carillon tasks --before \(next)\(access.words)") }
        return 0
    }

    static func table(_ tasks: [JSON]) -> String {
        Table(
            header: ["TASK", "CREATED", "STATE", "TARGETED", "OUTCOMES"],
            rows: tasks.map { task in
                let status = ReportedTask(task)
                let state = task["state"]?.text ?? ""
                return [
                    task["id"]?.text ?? "", task["created"]?.text ?? "",
                    task["cancelled"] == .bool(true) ? "\(state), cancelled" : state,
                    status.map { "\($0.targeted)" } ?? "", status?.outcomesText ?? "",
                ].map { VisibleBytes(isRaw: false).line($0, charactersMaximum: 120) }
            }
        ).text
    }
}
