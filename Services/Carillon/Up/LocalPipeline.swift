import PushModel
import ServiceKit

/// All programs of one `carillon up`.
struct LocalPipeline: Sendable {
    struct Settings: Sendable {
        var memoryBytes: Int
        var apiPort: UInt16
        /// Nil for what the environment says.
        var udpPort: UInt16?
        var hasSimulator: Bool
        /// Needs an app.
        var hasExample: Bool
        var app: AppID?
        var startLimit: Duration
        var drainDeadline: Duration
    }

    /// In addition to the services' drain deadline, for Redis and the simulator.
    private static let lastWords = Duration.seconds(15)

    private let settings: Settings
    private let shared: KeptProgram.Shared
    private let log: Log
    private let app: LocalApp?
    /// Redis, and the simulator if it is used.
    private let needed: [KeptProgram]
    private let services: [KeptProgram]
    private let board: SimulatorBoard
    private let redisURL: String
    private let apiURL: String
    private let streamURL: String
    private let consoleURL: String?
    private let example: ExampleServer?
    private let reservations: [PortReservation]

    init(
        _ settings: Settings, programs: PipelinePrograms, ports: inout PortBook, shared: KeptProgram.Shared,
        variables: [String: String]
    ) throws {
        self.settings = settings
        self.shared = shared
        log = Log(service: "carillon", sink: BoundedLog(shared.folder.logFile(of: "up")), time: shared.time)
        let app = settings.app.map { LocalApp($0, in: shared.folder, time: shared.time) }
        let board = SimulatorBoard()
        let plans = PipelinePlans(
            folder: shared.folder, programs: programs, inherited: ChildEnvironment(variables),
            drainDeadline: settings.drainDeadline, udpPort: settings.udpPort)
        let redisPlan = plans.redis(
            port: try ports.take(usual: PipelineService.redisPort), memoryBytes: settings.memoryBytes)
        var needed = [KeptProgram(redisPlan, after: [], shared: shared)]
        let publicPorts = [
            PipelineService.ingest: try ports.take(usual: settings.apiPort),
            PipelineService.stream: try ports.take(usual: PipelineService.streamPort),
        ]
        if settings.hasSimulator {
            let adminPort = try ports.take(usual: PipelineService.simulatorPort)
            let addressPorts = try PipelineService.simulatedAddressPorts.map {
                ($0.key, try ports.take(usual: $0.value))
            }
            let plan = plans.simulator(
                adminPort: adminPort, addressPorts: Dictionary(uniqueKeysWithValues: addressPorts))
            needed.append(LocalPipeline.simulator(plan, shared: shared, board: board, app: app))
        }
        services = try PipelineService.all.map { service in
            let adminPort = try ports.take(usual: service.adminPort)
            let plan = plans.service(
                service, adminPort: adminPort, redis: redisPlan.url, publicPort: publicPorts[service.name],
                simulator: board)
            return KeptProgram(plan, after: needed, shared: shared)
        }
        board.senders = services.filter { PipelineService.senders.contains($0.name) }
        self.app = app
        self.needed = needed
        self.board = board
        redisURL = redisPlan.url
        apiURL = services.first { $0.name == PipelineService.ingest }?.plan.url ?? ""
        streamURL = services.first { $0.name == PipelineService.stream }?.plan.url ?? ""
        consoleURL = plans.servesConsole ? "\(apiURL)/console" : nil
        example =
            settings.hasExample
            ? try app.map { app in
                ExampleServer(
                    app.id, port: try ports.take(usual: ExamplePage.port), in: shared.folder, time: shared.time)
            } : nil
        reservations = ports.reservations
    }

    /// The simulator has new credentials and ports after each start.
    private static func simulator(
        _ plan: ProgramPlan, shared: KeptProgram.Shared, board: SimulatorBoard, app: LocalApp?
    ) -> KeptProgram {
        KeptProgram(plan, after: [], shared: shared) { line in
            let facts = try SimulatorFacts(announcement: line)
            try await onNativeThread("apps") { Result { try app?.renew(board.credentials(facts)) } }.get()
            let former = board.replace(facts)
            // At the first start the senders still wait for it.
            guard former != nil else { return }
            for sender in board.senders { sender.replace() }
        }
    }

    /// Runs until `stop` returns or a program fails and is not restarted.
    func run(
        announcing announce: @escaping @Sendable (UpAnnouncement) -> Void,
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        if let app { try await onNativeThread("apps") { Result { try app.prepare() } }.get() }
        let watch = settings.hasSimulator ? await realProviderWatch() : nil
        let page = try await example?.service(api: apiURL, log: log)
        let file = shared.announcement
        let announcer = Announcer(needed + services, within: settings.startLimit, time: shared.time) {
            try file.publish { announcement.json }
            announce(announcement)
        } withdraw: {
            file.withdraw()
        }
        let pipeline = ServicesOfPipeline(
            services, drainingWithin: settings.drainDeadline, log: log, time: shared.time)
        let group = ServiceGroup(
            needed + [pipeline] + (page.map { [$0] } ?? []) + (watch.map { [$0] } ?? []) + [announcer], log: log,
            time: shared.time)
        let end = try await group.run(
            drainingWithin: settings.drainDeadline + LocalPipeline.lastWords, until: stop)
        withExtendedLifetime(reservations) {}
        guard case .cutOff(let names) = end else { return }
        throw UpError("\(names.joined(separator: ", ")) did not stop in time and had to be killed")
    }

    /// Once the senders can be planned: without those providers for which an app has credentials of its own.
    private func realProviderWatch() async -> RealProviderWatch {
        let folder = shared.folder
        _ = board.replace(await onNativeThread("apps") { RealProviders(in: folder) })
        return RealProviderWatch(folder, board: board, report: shared.report, time: shared.time)
    }

    private var announcement: UpAnnouncement {
        UpAnnouncement(
            folder: shared.folder, url: apiURL, stream: streamURL, console: consoleURL, page: example?.address,
            redis: redisURL,
            app: app.map { UpAnnouncement.App(name: $0.id.text, keyFile: $0.keyFile) }, simulator: board.current,
            programs: (needed + services).map { program in
                UpAnnouncement.Program(
                    name: program.name, url: program.plan.url, admin: program.plan.admin,
                    processID: program.processID, logFile: program.logFile)
            })
    }
}
