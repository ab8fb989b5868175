import CommandKit
import JSONKit

/// `carillon audiences show`: the definition of one audience.
struct AudiencesShow: Command {
    static let declaration = CommandDeclaration(
        "audiences show", purpose: "print a saved audience as JSON", operands: "NAME",
        options: [.json] + APIAccess.options,
        notes: APIAccess.notes)

    private let arguments: CommandArguments
    private let name: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        name = try arguments.operand("name of a saved audience")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let audience = try await TaskAPI.with(access) { try await $0.audience(name) }
        context.terminal.print(audience.compactText)
        return 0
    }
}
