import Apps
import ServiceHost
import ServiceKit

struct AppsCheck: Command {
    static let declaration = CommandDeclaration(
        "apps check", purpose: "names everything that is wrong with the apps' files, and fails when anything is",
        options: [AppsPlace.option],
        notes: "Key files and the pepper are looked for as the user who runs this; run it as the services' user.")

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
            context.terminal.complain("\(count) can be used in \(configuration.folder), not everything is right")
            return ExitCode.failure
        }
        context.terminal.print("\(count) in \(configuration.folder), everything is right")
        return 0
    }

    private static func word(_ problem: AppProblem) -> String {
        switch problem.severity {
        case .error: "error"
        case .warning: "warning"
        }
    }
}
