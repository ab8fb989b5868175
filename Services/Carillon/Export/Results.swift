import CommandKit
import Topics

struct Results: Command {
    static let declaration = TopicExport.declaration(
        "results", purpose: "print the outcomes of devices as JSON lines",
        notes: """
            Each line is a batch of outcomes of one task. They are kept for 7 days, on the embedded bus also not above
            CARILLON_BUS_LOG_BYTES: to store more outcomes than that, keep results --follow running.
            """)

    private let export: TopicExport

    init(_ arguments: CommandArguments) throws(UsageError) {
        export = try TopicExport(of: Topics.results.channel, arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        try await export.run(in: context)
    }
}
