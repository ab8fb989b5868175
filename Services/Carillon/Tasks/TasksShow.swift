import CommandKit
import JSONKit
import ServiceKit

/// `carillon tasks show`: the details of one task.
struct TasksShow: Command {
    static let declaration = CommandDeclaration(
        "tasks show", purpose: "show the state of a task, the outcomes of its devices and what it waits for",
        operands: "TASK", options: [.json] + APIAccess.options,
        notes: """
            For a task with devices that wait it says why, when the next are sent to, and what changes that. If the
            pipeline runs on this machine, what its programs report about themselves is shown too, such as a key that a
            provider refuses.

            \(APIAccess.notes)
            """)

    private let task: TaskOperand

    init(_ arguments: CommandArguments) throws(UsageError) {
        task = try TaskOperand(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try task.access(in: context)
        let status = try await TaskAPI.with(access) { try await $0.status(of: task.id) }
        guard !task.isJSON else {
            context.terminal.print(status.document.compactText)
            return 0
        }
        let waits = TaskWaits(status, id: task.id, access: access)
        let remarks = waits.causes.isEmpty ? [] : await TasksShow.remarks(access)
        context.terminal.print(TasksShow.text(status) + waits.text(remarks: remarks))
        return 0
    }

    private static func remarks(_ access: APIAccess) async -> [String] {
        guard let pipeline = access.pipeline else { return [] }
        return await PipelineRemarks.all(of: pipeline)
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
