import Apps
import CommandKit
import PushModel
import ServiceHost
import ServiceKit

struct AppsCheck: Command {
    static let declaration = CommandDeclaration(
        "apps check",
        purpose: "validate the app files and show which limits are in force; exit code 1 if there are problems",
        options: [.json, .data],
        notes: """
            Key files and the pepper are read as the current user; run this command as the user of the services. A \
            field that no service enforces yet is a warning and no problem. While carillon up runs with these apps, it \
            also warns of devices that no provider can reach; that is no problem of a file either.

            \(AppsPlace.notes)
            """)

    private let place: AppsPlace
    private let isJSON: Bool

    init(_ arguments: CommandArguments) {
        place = AppsPlace(arguments)
        isJSON = arguments.has(.json)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let configuration = try place.configuration(context)
        let survey = await onNativeThread("apps") { AppSurvey(configuration) }
        let code = survey.problems.isEmpty ? 0 : ExitCode.failure
        guard !isJSON else {
            context.terminal.print(AppsCheck.document(survey, folder: configuration.folder))
            return code
        }
        let rows = survey.apps.flatMap(AppsCheck.rows)
        if !rows.isEmpty {
            context.terminal.print(Table(header: ["APP", "FIELD", "VALUE", "ENFORCED BY"], rows: rows))
        }
        for problem in survey.problems {
            context.terminal.print("\(problem.severity.word): \(problem)")
        }
        for warning in try await gaps(in: context) { context.terminal.complain(warning: warning) }
        let count = survey.apps.count == 1 ? "1 app" : "\(survey.apps.count) apps"
        guard survey.problems.isEmpty else {
            context.terminal.complain("\(count) usable in \(configuration.folder); fix the problems above")
            return code
        }
        context.terminal.print("\(count) in \(configuration.folder), no problems found")
        return code
    }

    /// Known only while a pipeline runs with these apps.
    private func gaps(in context: CommandContext) async throws -> [String] {
        guard let local = try place.local(in: context), let running = local.running else { return [] }
        return await ProviderGaps.warnings(in: local.folder, at: running.url)
    }

    private static func rows(of app: PushApp) -> [[String]] {
        AppRule.allCases.compactMap { rule in
            rule.value(in: app).map { [app.id.text, rule.field, $0, rule.enforcement] }
        }
    }

    private static func document(_ survey: AppSurvey, folder: String) -> String {
        JSONText.object { json in
            json.member("folder", folder)
            json.member("apps", json: list(survey.apps.map(document)))
            json.member("problems", json: list(survey.problems.map(document)))
        }
    }

    private static func list(_ objects: [String]) -> String {
        "[" + objects.joined(separator: ",") + "]"
    }

    private static func document(_ app: PushApp) -> String {
        let rules = AppRule.allCases.compactMap { rule in
            rule.value(in: app).map { value in
                JSONText.object { json in
                    json.member("field", rule.field)
                    json.member("value", value)
                    json.member("enforced_by", rule.enforcement)
                }
            }
        }
        return JSONText.object { json in
            json.member("app", app.id.text)
            json.member("rules", json: list(rules))
        }
    }

    private static func document(_ problem: AppProblem) -> String {
        JSONText.object { json in
            json.member("severity", problem.severity.word)
            json.member("file", problem.file)
            json.member("field", problem.field)
            json.member("message", problem.message)
        }
    }
}

extension AppProblem.Severity {
    fileprivate var word: String {
        switch self {
        case .error: "error"
        case .warning: "warning"
        }
    }
}
