import Apps
import Bus
import CommandKit
import PushModel
import RedisClient
import ServiceHost
import ServiceKit

/// `carillon import pushd`: takes over the subscribers of a pushd.
struct ImportPushd: Command {
    static let declaration = CommandDeclaration(
        "import pushd", purpose: "take over the subscribers and subscriptions of a pushd from its Redis",
        options: [redis, app, protocolOption, dryRun, .json, .data, .bus],
        notes: """
            Reads pushd's Redis and writes nothing to it. Each subscriber becomes a device with its badge, its
            subscriptions and the times of its creation and last update; the counts of events without subscribers in
            Carillon are taken over too. Devices that have registered with Carillon stay as they are. Stop pushd first:
            what it stores while the import runs may be missed.

            An interrupted import continues where it stopped when it is run again. Running a completed one again takes
            over only subscribers that are new. Ids are new: apps get theirs when they register the next time.

            Exit codes: 0 if every subscriber was taken over completely, \(leftOut) if anything was left out, which the
            report names by reason, 1 on failure.
            """)

    /// The exit code if anything was left out.
    static let leftOut: Int32 = 2

    private static let redis = CommandOption(
        "--redis", value: "URL",
        meaning:
            "pushd's Redis, redis://HOST:PORT/DATABASE; overrides CARILLON_IMPORT_REDIS; use the variables if there "
            + "is a password: other users see arguments")
    private static let app = CommandOption("--app", value: "NAME", meaning: "The app that gets the devices")
    private static let protocolOption = CommandOption(
        "--protocol", value: "NAME=PROTOCOL", isRepeatable: true,
        meaning: "A section of pushd's settings under another name, such as apns-dev=apns/sandbox; repeatable")
    private static let dryRun = CommandOption(
        "--dry-run", meaning: "Read and check everything, and show the report, but write nothing")

    private let source: String?
    private let appName: AppID
    private let protocols: PushdProtocols
    private let isDryRun: Bool
    private let isJSON: Bool
    private let place: AppsPlace

    init(_ arguments: CommandArguments) throws(UsageError) {
        source = arguments.value(ImportPushd.redis)
        guard let name = arguments.value(ImportPushd.app) else { throw UsageError("--app NAME is required") }
        do {
            appName = try AppID(name: name)
        } catch {
            throw UsageError("--app \(OutsideText.excerpt(name)): \(error)")
        }
        protocols = try PushdProtocols(arguments.values(ImportPushd.protocolOption))
        isDryRun = arguments.has(ImportPushd.dryRun)
        isJSON = arguments.has(.json)
        place = AppsPlace(arguments)
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let app = try await app(context)
        let settings = try context.settings()
        let variables = try ImportVariables(context)
        let source = try variables.source(source, like: settings.bus.redis)
        return try await context.withDatabase(source, log: settings.log) { database in
            guard !isDryRun else { return try await run(from: database, into: app, target: nil, in: context) }
            return try await context.withImportTarget { target in
                try await run(from: database, into: app, target: target, in: context)
            }
        }
    }

    private func run(
        from database: PushdDatabase, into app: PushApp, target: ImportTarget?, in context: CommandContext
    ) async throws -> Int32 {
        let environment = WorkerEnvironment(log: try context.settings().log)
        let subscribers = try await database.count()
        let pushd = PushdImport(
            database, protocols: protocols, into: app, target: target, environment: environment)
        let start = try await pushd.start()
        var report = ImportReport(
            context.terminal, subscribers: subscribers, before: start.state.summary.subscribers, time: environment.time)
        let summary = try await pushd.run(from: start) { report.take($0) }.summary
        if isJSON {
            context.terminal.print(report.line(summary, isDryRun: isDryRun))
        } else {
            report.end(summary, isDryRun: isDryRun)
        }
        for kind in summary.protocols.keys.sorted(by: { $0.rawValue < $1.rawValue }) where !app.providers.has(kind) {
            context.terminal.complain(
                "warning: \(app.id) has no credentials for \(kind.name); add providers.\(kind.name) to its file")
        }
        return summary.isComplete ? 0 : ImportPushd.leftOut
    }

    private func app(_ context: CommandContext) async throws -> PushApp {
        let configuration = try place.configuration(context)
        let survey = await onNativeThread("apps") { AppSurvey(configuration) }
        guard let app = survey.apps.first(where: { $0.id == appName }) else {
            throw ImportError(
                "no valid app \(appName) in \(configuration.folder); add it with carillon apps add, or see "
                    + "carillon apps check")
        }
        return app
    }
}
