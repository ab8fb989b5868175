import CommandKit
import JSONKit
import ServiceKit

/// `carillon tasks show`: the details of one task.
struct TasksShow: Command {
    static let declaration = CommandDeclaration(
        "tasks show", purpose: "show the state of a task and the outcomes of its devices", operands: "TASK",
        options: [.json] + APIAccess.options, notes: APIAccess.notes)

    private let task: TaskOperand

    init(_ arguments: CommandArguments) throws(UsageError) {
        task = try TaskOperand(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let status = try await TaskAPI.with(try task.access(in: context)) { try await $0.status(of: task.id) }
        context.terminal.print(task.isJSON ? status.document.compactText : TasksShow.text(status))
        return 0
    }

    static func text(_ status: ReportedTask) -> String {
        func line(_ name: String) -> [String] { [name, status.document[name]?.text ?? "–"] }
        let head = [
            ["task", status.id], line("app"),
            ["state", status.state.rawValue + (status.isCancelled ? ", cancelled" : "")], line("lane"), line("created"),
            line("send_at"), line("deadline"), line("closed"),
            ["jobs", "\(status.jobsResolved) of \(status.jobs) resolved"],
            ["targeted", "\(status.targeted)"],
        ]
        let open = status.targeted - status.ended
        let counts = ReportedTask.Outcome.allCases.filter { status.count($0) > 0 }.map {
            ["  \($0.label)", "\(status.count($0))"]
        }
        let receipts = status.receipts.map { ["  \($0.name)", "\($0.count)"] }
        return Table(
            rows: head + counts + (open > 0 ? [["  open", "\(open)"]] : [])
                + (status.unmatched > 0 ? [["unmatched", "\(status.unmatched)"]] : [])
                + (receipts.isEmpty ? [] : [["receipts", ""]] + receipts)
        ).text
    }
}
