import CommandKit
import JSONKit

/// `carillon audiences remove`: removes one audience.
struct AudiencesRemove: Command {
    static let declaration = CommandDeclaration(
        "audiences remove", purpose: "remove a saved audience", operands: "NAME", options: APIAccess.options,
        notes: APIAccess.notes)

    private let arguments: CommandArguments
    private let name: String

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        name = try arguments.operand("name of a saved audience")
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        try await TaskAPI.with(access) { try await $0.removeAudience(name) }
        context.terminal.print("\(name) is removed; tasks that were accepted keep what it meant")
        return 0
    }
}
