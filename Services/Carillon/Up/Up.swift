import Apps
import Glibc
import PushModel
import ServiceKit

/// `carillon up`: the whole pipeline on one machine, with a Redis of its own.
struct Up: Command {
    static let declaration = CommandDeclaration(
        "up", purpose: "runs the whole pipeline on this machine, with a Redis of its own",
        options: [.data, simulator, app, demo, once, memory, port, within, drain, .json],
        notes: """
            Everything is kept in the data folder: Redis' files, the apps, the logs. A second start goes on from there,
            also after a crash. The programs must lie beside this one, as `make build` leaves them.

            Each program's usual port is tried first, and a free one taken where somebody has it. A program that dies is
            started again. One that dies again and again at once ends everything, with exit code 1. Ctrl-C or SIGTERM ends
            all in good order, with exit code 0; a second one ends it at once. Variables of the services, such as
            CARILLON_LOG_LEVEL or CARILLON_INGEST_ADDRESS, are passed on to them.

            Once all is ready it says so; --json prints one line then, with every address, on standard output, and
            everything else on standard error. The same line is in up.json in the data folder, for as long as it runs:
            from there carillon push and others know the address and the key.
            """)

    private static let simulator = CommandOption(
        "--simulator", meaning: "Push to provider-simulator in place of Apple, Google and Huawei.")
    private static let app = CommandOption(
        "--app", value: "NAME",
        meaning:
            "An app to make unless it is there, with a key in NAME.key in the data folder; with --simulator demo unless told."
    )
    private static let demo = CommandOption(
        "--demo",
        meaning:
            "With --simulator: registers devices, posts two tasks, shows what became of them, and holds the reports against "
            + "the simulator's own count.")
    private static let once = CommandOption(
        "--once", meaning: "With --demo: ends when everything was shown, with exit code 0 if the counts agreed.")
    private static let memory = CommandOption(
        "--memory", value: "SIZE", meaning: "What Redis may take, such as 512MiB; 1GiB unless told.")
    private static let port = CommandOption(
        "--port", value: "N", meaning: "The port of the HTTP API that is tried first; 8080 unless told.")
    private static let within = CommandOption(
        "--ready-within", value: "TIME", meaning: "How long the start may take, such as 30s; 2m unless told.")
    private static let drain = CommandOption(
        "--drain", value: "TIME",
        meaning:
            "How long the services together may take to finish what they hold before they are killed; 30s unless told.")

    private let data: String
    private let settings: LocalPipeline.Settings
    private let isJSON: Bool
    private let hasDemo: Bool
    private let endsAfterDemo: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        data = arguments.value(.data) ?? DataFolder.usual
        isJSON = arguments.has(.json)
        let hasSimulator = arguments.has(Up.simulator)
        hasDemo = arguments.has(Up.demo)
        endsAfterDemo = arguments.has(Up.once)
        guard hasSimulator || !hasDemo else { throw UsageError("--demo needs --simulator") }
        guard hasDemo || !endsAfterDemo else { throw UsageError("--once needs --demo") }
        settings = LocalPipeline.Settings(
            memoryBytes: try arguments.bytes(Up.memory, default: 1 << 30, in: (64 << 20)...(1 << 40)),
            apiPort: UInt16(
                try arguments.integer(Up.port, default: Int(PipelineService.apiPort), in: 1...65_535)),
            hasSimulator: hasSimulator,
            app: try arguments.app(named: arguments.value(Up.app) ?? (hasSimulator ? "demo" : nil)),
            startLimit: try arguments.duration(
                Up.within, default: .seconds(120), in: .seconds(1) ... .seconds(3_600)),
            drainDeadline: try arguments.duration(Up.drain, default: .seconds(30), in: .zero ... .seconds(3_600)))
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let signals = SignalListener.install()
        let time = SystemTimeSource()
        let report = UpReport(context.terminal, keepsResultFree: isJSON, time: time)
        let programs = try PipelinePrograms(
            (settings.hasSimulator ? [PipelineService.simulator] : []) + PipelineService.all.map(\.name))
        try Up.findRedis(context.variables)
        let folder = try DataFolder(making: data)
        let shared = KeptProgram.Shared(
            lock: try await DataLock(folder, time: time), folder: folder, announcement: AnnouncementFile(folder),
            report: report, readiness: ReadinessClient(), time: time)
        var ports = PortBook()
        let pipeline = try LocalPipeline(
            settings, programs: programs, ports: &ports, shared: shared, variables: context.variables)
        report.say("carillon \(CarillonVersion.current) in \(folder.path)")
        for (usual, given) in ports.replaced { report.say("  port \(usual) is taken, \(given) is used in its place") }
        let stop = OneTimeEvent()
        Task {
            _ = await signals.stopRequest()
            stop.happen()
        }
        let demonstration = Demonstration(in: context, place: place) { if endsAfterDemo { stop.happen() } }
        try await pipeline.run { announcement in
            if isJSON {
                context.terminal.print(announcement.json)
            } else {
                show(announcement, in: report, program: context.program)
            }
            if hasDemo { demonstration.begin(announcement) }
        } until: {
            await stop.wait()
            demonstration.cutOff()
            // Else it ends by itself, which is told elsewhere.
            guard stop.hasHappened else { return }
            report.tell("stopping; once more ends it at once, which loses nothing")
        }
        await shared.readiness.close()
        report.tell("stopped")
        return endsAfterDemo ? demonstration.exitCode : 0
    }

    private func show(_ announcement: UpAnnouncement, in report: UpReport, program: String) {
        report.say("ready: \(announcement.url), logs in \(announcement.folder.logs); Ctrl-C ends everything")
        guard let app = announcement.app else {
            let survey = AppSurvey(announcement.folder.appsConfiguration)
            let apps = survey.apps.count
            if apps > 0 { report.say("\(apps == 1 ? "1 app" : "\(apps) apps") in \(announcement.folder.apps)") }
            if survey.problems.contains(where: { $0.severity == .error }) {
                report.say("not every app file can be used: \(program) apps check --data \(data) names what is wrong")
            }
            guard apps == 0 else { return }
            return report.say("without an app nobody gets in: --app NAME makes one, with a key")
        }
        report.say(
            """
            the key of the app \(app.name) is in \(app.keyFile); send to all its devices with

              \(program) push --all --title Hello --watch\(place)

            """)
    }

    /// What a command needs to find this pipeline.
    private var place: String { data == DataFolder.usual ? "" : " --data \(data)" }

    private static func findRedis(_ variables: [String: String]) throws(UpError) {
        let folders = (variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard !folders.contains(where: { access("\($0)/\(EmbeddedRedis.program)", X_OK) == 0 }) else { return }
        throw UpError("redis-server is not on the PATH: apt-get install redis-server")
    }
}

extension CommandOption {
    static let data = CommandOption(
        "--data", value: "FOLDER", meaning: "The data folder of carillon up; ./\(DataFolder.usual) unless told.")
}
