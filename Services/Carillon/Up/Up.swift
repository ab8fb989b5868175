import Apps
import CommandKit
import Glibc
import PushModel
import ServiceKit

/// `carillon up`: the whole pipeline on one machine, with its own Redis.
struct Up: Command {
    static let declaration = CommandDeclaration(
        "up", purpose: "run the whole pipeline on this machine, with its own Redis",
        options: [data, simulator, app, demo, once, memory, port, udp, within, drain, .json],
        notes: """
            All data is in the data folder: Redis files, apps and logs. The next start continues from there, also after
            a crash. The programs must be in the same folder as this one, as `make build` places them.

            Each program gets its default port, or a free one if that is taken. A program that exits is restarted. If it
            keeps exiting right after its start, everything stops with exit code 1. Ctrl-C or SIGTERM stops everything
            gracefully with exit code 0; a second one forces an immediate stop. Variables of the services, such as
            CARILLON_LOG_LEVEL or CARILLON_INGEST_ADDRESS, are passed on to them.

            When everything is ready, a line says so. With --json it contains all addresses and goes to standard output,
            and everything else goes to standard error. While the pipeline runs, the same line is in up.json in the data
            folder, from which carillon push and other commands read the address and the key.
            """)

    private static let data = CommandOption(
        "--data", value: "FOLDER", meaning: "Folder for all data, created if missing (default: ./\(DataFolder.usual))")
    private static let simulator = CommandOption(
        "--simulator", meaning: "Send to provider-simulator instead of the real providers")
    private static let app = CommandOption(
        "--app", value: "NAME",
        meaning:
            "App to create if missing, with its key in NAME.key in the data folder (default with --simulator: demo)"
    )
    private static let demo = CommandOption(
        "--demo",
        meaning:
            "With --simulator: register devices, post two tasks, show their outcomes, compare the reports with the "
            + "simulator's own count, and serve a web page with push notifications")
    private static let once = CommandOption(
        "--once", meaning: "With --demo: exit after the demonstration, with exit code 0 if the counts agree")
    private static let memory = CommandOption(
        "--memory", value: "SIZE", meaning: "Memory limit of Redis, such as 512MiB (default: 1GiB)")
    private static let port = CommandOption(
        "--port", value: "N", meaning: "Preferred port of the HTTP API (default: 8080)")
    private static let udp = CommandOption(
        "--udp", value: "PORT", meaning: "Port of this machine for events over UDP (default: none)")
    private static let within = CommandOption(
        "--ready-within", value: "TIME", meaning: "How long the start may take, such as 30s (default: 2m)")
    private static let drain = CommandOption(
        "--drain", value: "TIME",
        meaning:
            "How long the services may take together to finish in-flight work before they are killed (default: 30s)")

    private let data: String
    private let settings: LocalPipeline.Settings
    private let isJSON: Bool
    private let hasDemo: Bool
    private let endsAfterDemo: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        data = arguments.value(Up.data) ?? DataFolder.usual
        isJSON = arguments.has(.json)
        let hasSimulator = arguments.has(Up.simulator)
        hasDemo = arguments.has(Up.demo)
        endsAfterDemo = arguments.has(Up.once)
        guard hasSimulator || !hasDemo else { throw UsageError("--demo needs --simulator") }
        guard hasDemo || !endsAfterDemo else { throw UsageError("--once needs --demo") }
        let udpPort = try arguments.integer(Up.udp, default: 0, in: 0...65_535)
        settings = LocalPipeline.Settings(
            memoryBytes: try arguments.bytes(Up.memory, default: 1 << 30, in: (64 << 20)...(1 << 40)),
            apiPort: UInt16(
                try arguments.integer(Up.port, default: Int(PipelineService.apiPort), in: 1...65_535)),
            udpPort: udpPort == 0 ? nil : UInt16(udpPort),
            hasSimulator: hasSimulator,
            hasExample: hasDemo,
            app: try arguments.app(named: arguments.value(Up.app) ?? (hasSimulator ? "demo" : nil)),
            startLimit: try arguments.duration(
                Up.within, default: .seconds(120), in: .seconds(1) ... .seconds(3_600)),
            drainDeadline: try arguments.duration(Up.drain, default: .seconds(30), in: .zero ... .seconds(3_600)))
    }

    func run(in context: CommandContext) async throws -> Int32 {
        let signals = SignalListener.install()
        let time = SystemTimeSource()
        let report = UpReport(context.terminal, usesStandardError: isJSON, time: time)
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
        for (usual, given) in ports.replaced { report.say("  port \(usual) is taken, using \(given)") }
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
            // The simulator stands for every provider.
            if !settings.hasSimulator { Task { await warn(of: announcement, in: report) } }
        } until: {
            await stop.wait()
            demonstration.cutOff()
            // Otherwise it ends after a failure, which is reported elsewhere.
            guard stop.hasHappened else { return }
            report.tell("stopping; press Ctrl-C again to force quit, no data is lost")
        }
        await shared.readiness.close()
        report.tell("stopped")
        return endsAfterDemo ? demonstration.exitCode : 0
    }

    private func warn(of announcement: UpAnnouncement, in report: UpReport) async {
        for warning in await ProviderGaps.warnings(in: announcement.folder, at: announcement.url) {
            report.tell("warning: \(warning)")
        }
    }

    private func show(_ announcement: UpAnnouncement, in report: UpReport, program: String) {
        report.say("ready: \(announcement.url), logs in \(announcement.folder.logs); press Ctrl-C to stop")
        report.say("listeners: \(announcement.stream)/subscribe?events=TOPIC")
        if let console = announcement.console {
            let key = announcement.app.map { "; sign in with the key in \($0.keyFile)" } ?? ""
            report.say("console: \(console)\(key)")
        }
        if let page = announcement.page { report.say("a web page with push notifications: \(page)") }
        guard let app = announcement.app else {
            let survey = AppSurvey(announcement.folder.appsConfiguration)
            let apps = survey.apps.count
            if apps > 0 { report.say("\(apps == 1 ? "1 app" : "\(apps) apps") in \(announcement.folder.apps)") }
            if survey.problems.contains(where: { $0.severity == .error }) {
                report.say("some app files are invalid; run \(ShellWord.quoted(program)) apps check\(place)")
            }
            guard apps == 0 else { return }
            return report.say("no app: every request will be rejected; create an app and its key with --app NAME")
        }
        report.say(
            """
            the key of app \(app.name) is in \(app.keyFile); send to all of its devices with

              \(ShellWord.quoted(program)) push --all --title Hello --watch\(place)

            """)
    }

    /// Options with which a command finds this pipeline.
    private var place: String { data == DataFolder.usual ? "" : " --data \(ShellWord.quoted(data))" }

    private static func findRedis(_ variables: [String: String]) throws(UpError) {
        let folders = (variables["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard !folders.contains(where: { access("\($0)/\(EmbeddedRedis.program)", X_OK) == 0 }) else { return }
        throw UpError("redis-server is not on the PATH; install it with apt-get install redis-server")
    }
}
