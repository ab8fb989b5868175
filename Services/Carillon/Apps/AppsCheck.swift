import Apps
import CommandKit
import ServiceHost
import ServiceKit

struct AppsCheck: Command {
    static let declaration = CommandDeclaration(
        "apps check", purpose: "validate the app files; exit code 1 if there are problems",
        options: [AppsPlace.option],
        notes: "Key files and the pepper are read as the current user; run this command as the user of the services.")

    private let place: AppsPlace

    init(_ arguments: CommandArguments) {
        place = AppsPlace(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let configuration = try place.configuration(context)
        let survey = await onNativeThread("apps") { AppSurvey(configuration) }
        for problem in survey.problems { context.terminal.print("\(AppsCheck.word(problem)): \(problem)") }
        let count = survey.apps.count == 1 ? "1 app" : "\(survey.apps.count) apps"
        guard survey.problems.isEmpty else {
            context.terminal.complain("\(count) usable in \(configuration.folder); fix the problems above")
            return ExitCode.failure
        }
        context.terminal.print("\(count) in \(configuration.folder), no problems found")
        return 0
    }

    private static func word(_ problem: AppProblem) -> String {
        switch problem.severity {
        case .error: "error"
        case .warning: "warning"
        }
    }
}
