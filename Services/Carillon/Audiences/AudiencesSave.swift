import CommandKit
import JSONKit

/// `carillon audiences save`: creates or replaces one audience.
struct AudiencesSave: Command {
    static let declaration = CommandDeclaration(
        "audiences save", purpose: "save an audience under a name", operands: "NAME AUDIENCE",
        options: APIAccess.options,
        notes: """
            Example: carillon audiences save readers '{"all_of": [{"topic": "news"}, {"seen": {"within": "30d"}}]}'

            \(APIAccess.notes)
            """)

    private let arguments: CommandArguments
    private let name: String
    private let audience: JSON

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        guard arguments.operands.count == 2 else { throw UsageError("expected a name and \(AudienceText.form)") }
        name = arguments.operands[0]
        audience = try AudienceText.audience(arguments.operands[1])
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        try await TaskAPI.with(access) { try await $0.saveAudience(audience, as: name) }
        context.terminal.print("\(name) is saved; use it with: \(access.command("push --audience \(name)"))")
        return 0
    }
}
