import CommandKit
import Topics

struct Results: Command {
    static let declaration = TopicExport.declaration(
        "results", purpose: "print the outcomes of devices as JSON lines",
        notes: """
            Each line is a batch of outcomes of one task. On the embedded bus a batch is removed once the reporter has
            handled it: run results --follow before the tasks whose outcomes are to be kept. Kafka keeps them.
            """)

    private let export: TopicExport

    init(_ arguments: CommandArguments) throws(UsageError) {
        export = try TopicExport(of: Topics.results.channel, arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await export.run(in: context)
    }
}
