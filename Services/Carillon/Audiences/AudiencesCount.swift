import CommandKit
import JSONKit

/// `carillon audiences count`: the number of devices that an audience selects now.
struct AudiencesCount: Command {
    static let declaration = CommandDeclaration(
        "audiences count", purpose: "count the devices of an audience, by platform", operands: "AUDIENCE",
        options: [.json] + APIAccess.options,
        notes: APIAccess.notes)

    private let arguments: CommandArguments
    private let audience: JSON

    init(_ arguments: CommandArguments) throws(UsageError) {
        self.arguments = arguments
        audience = try AudienceText.audienceOrName(
            try arguments.operand("audience: JSON, or the name of a saved one"))
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let counts = try await TaskAPI.with(access) { try await $0.count(audience: audience) }
        context.terminal.print(arguments.has(.json) ? counts.compactText : AudiencesCount.text(counts))
        return 0
    }

    private static func text(_ counts: JSON) -> String {
        let platforms = counts["platforms"]?.object?.members ?? []
        return Table(
            rows: [["devices", "\(counts.count("devices") ?? 0)"]]
                + platforms.map { ["  \($0.name)", "\(counts["platforms"]?.count($0.name) ?? 0)"] }
        ).text
    }
}
