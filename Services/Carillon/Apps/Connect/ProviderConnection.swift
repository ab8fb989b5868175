import Apps
import CommandKit
import PushModel
import ServiceKit

/// Credentials of one provider on their way into an app file: tried in a folder of their own, shown to the provider,
/// and stored only if it does not refuse them.
struct ProviderConnection: Sendable {
    static let options = [appOption, noCheckOption, CommandOption.data]
    static let notes = """
        The key is tried first: the provider gets a push for a device that does not exist. Only if it does not refuse
        the key, this is copied to the folder secrets beside that of the apps and named in the app file. Running
        services load it automatically; a carillon up with --simulator then sends to this provider itself.

        \(AppsPlace.notes)

        Exit codes: 0 if the key is in use, also if the provider could not be reached to try it; 1 if it was refused.
        """

    private static let appOption = CommandOption(
        "--app", value: "NAME", meaning: "App to change (default: the only one)")
    private static let noCheckOption = CommandOption(
        "--no-check", meaning: "Do not ask the provider, such as for a key that is valid for development devices only")

    private let place: AppsPlace
    private let app: AppID?
    private let isChecked: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        if let stray = arguments.operands.first { throw UsageError("unexpected argument \"\(stray)\"") }
        place = AppsPlace(arguments)
        app = try arguments.app(named: arguments.value(ProviderConnection.appOption))
        isChecked = !arguments.has(ProviderConnection.noCheckOption)
    }

    /// Returns the exit code. `source` is the file that the secret was read from; `sender` is the program that can ask
    /// the provider, nil if none can.
    func store(
        _ entry: ProviderEntry, from source: ProvidedFile, ofProvider name: String, checkedBy sender: String?,
        in context: CommandContext
    ) async throws -> Int32 {
        let configuration = try place.configuration(context)
        let app = try await chosenApp(in: configuration)
        let trial = try CredentialTrial(entry, of: app)
        try await trial.checkFile(from: source.path)
        if let sender, isChecked {
            context.terminal.complain("asking \(name) whether it accepts the key")
            let verdict = try await trial.ask(sender, variables: context.variables)
            context.terminal.complain(verdict.text(provider: name))
            guard verdict.permitsUse else { return 1 }
        }
        let editor = AppEditor(configuration, now: SystemTimeSource().now)
        let stored = await onNativeThread("apps") {
            Result { () throws(AppsError) in try editor.connect(entry, to: app) }
        }
        context.terminal.print("wrote \(try stored.get())\nchanged \(editor.path(of: app))")
        try sayNext(name, in: context)
        return 0
    }

    private func chosenApp(in configuration: AppsConfiguration) async throws -> AppID {
        if let app { return app }
        let apps = await onNativeThread("apps") { AppSurvey(configuration).apps.map(\.id) }
        guard let only = apps.first else {
            throw UsageError("there is no app in \(configuration.folder); add one with carillon apps add NAME")
        }
        guard apps.count == 1 else {
            throw UsageError("choose an app with --app: \(apps.map(\.text).joined(separator: ", "))")
        }
        return only
    }

    private func sayNext(_ name: String, in context: CommandContext) throws {
        guard let local = try place.local(in: context), local.running != nil else { return }
        context.terminal.print("the pipeline in \(local.folder.path) sends to \(name) with this key within seconds")
    }
}
