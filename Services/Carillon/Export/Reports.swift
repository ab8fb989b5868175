import CommandKit
import Topics

struct Reports: Command {
    static let declaration = TopicExport.declaration(
        "reports", purpose: "print the reports of closed tasks as JSON lines",
        notes: "Reports are kept for 30 days.")

    private let export: TopicExport

    init(_ arguments: CommandArguments) throws(UsageError) {
        export = try TopicExport(of: Topics.reports.channel, arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await export.run(in: context)
    }
}
