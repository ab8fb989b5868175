import Apps
import CommandKit
import PushModel
import ServiceKit

struct AppsList: Command {
    static let declaration = CommandDeclaration(
        "apps list",
        purpose: "list the apps with their keys, address ranges, scopes, identifiers and providers",
        options: [.data])

    private static let header = ["APP", "KEY", "SCOPES", "EXPIRES", "IDENTIFIERS", "PROVIDERS"]

    private let place: AppsPlace

    init(_ arguments: CommandArguments) {
        place = AppsPlace(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let configuration = try place.configuration(context)
        let survey = await onNativeThread("apps") { AppSurvey(configuration) }
        if survey.apps.isEmpty {
            context.terminal.print("no apps in \(configuration.folder)")
        } else {
            let now = SystemTimeSource().now
            context.terminal.print(
                Table(header: AppsList.header, rows: survey.apps.map { AppsList.row($0, now: now) }).text)
        }
        let errors = survey.problems.filter { $0.severity == .error }
        if !errors.isEmpty {
            context.terminal.complain("invalid app files are not listed; run carillon apps check for details")
        }
        return 0
    }

    private static func row(_ app: PushApp, now: Timestamp) -> [String] {
        let keys = app.credentials.map { ($0.id, AppsAdd.text($0.rights), expiry(of: $0, now: now)) }
        let ranges = app.allowed.map { ("from \($0.range)", AppsAdd.text($0.scopes), "") }
        let entries = keys + ranges
        return [
            "\(app.id)", lines(entries.map(\.0)), lines(entries.map(\.1)), lines(entries.map(\.2)),
            lines(
                TaskDialect.allCases.flatMap { dialect in
                    (app.identifiers[dialect] ?? []).map { "\(dialect.rawValue) \($0)" }
                }),
            lines(providers(of: app)),
        ]
    }

    private static func expiry(of credential: Credential, now: Timestamp) -> String {
        guard let expires = credential.expires else { return "never" }
        return credential.isValid(at: now) ? "\(expires)" : "expired"
    }

    private static func providers(of app: PushApp) -> [String] {
        PushProtocol.ofDevices.filter { app.providers.has($0) }.map(\.name)
    }

    private static func lines(_ texts: [String]) -> String {
        texts.joined(separator: "\n")
    }
}
