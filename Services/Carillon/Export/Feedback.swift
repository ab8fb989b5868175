import CommandKit
import Topics

struct Feedback: Command {
    static let declaration = TopicExport.declaration(
        "feedback", purpose: "print the devices that were removed as JSON lines",
        notes: "Removed devices are kept for 30 days.")

    private let export: TopicExport

    init(_ arguments: CommandArguments) throws(UsageError) {
        export = try TopicExport(of: Topics.feedback.channel, arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await export.run(in: context)
    }
}
