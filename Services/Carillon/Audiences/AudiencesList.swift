import CommandKit
import JSONKit
import ServiceKit

/// `carillon audiences`: the saved audiences of an app.
struct AudiencesList: Command {
    static let declaration = CommandDeclaration(
        "audiences", purpose: "list the saved audiences", options: [.json] + APIAccess.options, notes: APIAccess.notes)

    private let arguments: CommandArguments

    init(_ arguments: CommandArguments) {
        self.arguments = arguments
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let access = try APIAccess(arguments, in: context)
        let audiences = try await TaskAPI.with(access) { api in
            var audiences: [[String]] = []
            for name in try await api.audienceNames() {
                audiences.append([name, try await api.audience(name).compactText])
            }
            return audiences
        }
        let visible = VisibleBytes(isRaw: false)
        if arguments.has(.json) {
            for audience in audiences {
                context.terminal.print(
                    JSONText.object { json in
                        json.member("name", audience[0])
                        json.member("audience", json: audience[1])
                    })
            }
        } else if audiences.isEmpty {
            context.terminal.print("no saved audiences")
        } else {
            context.terminal.print(
                Table(
                    header: ["NAME", "AUDIENCE"],
                    rows: audiences.map { [$0[0], visible.line($0[1], charactersMaximum: 120)] }
                ))
        }
        return 0
    }
}
