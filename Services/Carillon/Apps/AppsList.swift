import Apps
import CommandKit
import PushModel
import ServiceKit

struct AppsList: Command {
    static let declaration = CommandDeclaration(
        "apps list",
        purpose: "list the apps with their keys, address ranges, scopes, identifiers and providers",
        options: [.json, .data])

    private let place: AppsPlace
    private let isJSON: Bool

    init(_ arguments: CommandArguments) {
        place = AppsPlace(arguments)
        isJSON = arguments.has(.json)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let configuration = try place.configuration(context)
        let survey = await onNativeThread("apps") { AppSurvey(configuration) }
        let now = SystemTimeSource().now
        let apps = survey.apps.map { ListedApp(app: $0, now: now) }
        if isJSON {
            for app in apps { context.terminal.print(app.json) }
        } else if apps.isEmpty {
            context.terminal.print("no apps in \(configuration.folder)")
        } else {
            context.terminal.print(Table(header: ListedApp.header, rows: apps.map(\.row)))
        }
        let errors = survey.problems.filter { $0.severity == .error }
        if !errors.isEmpty {
            context.terminal.complain(
                warning: "invalid app files are not listed; run carillon apps check for details")
        }
        return 0
    }
}
