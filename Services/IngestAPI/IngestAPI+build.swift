import Apps
import Bus
import HTTPClient
import HTTPServer
import ServiceHost
import ServiceKit
import Store

extension IngestAPI {
    /// The public port starts last and stops first, so that every request finds its dependencies running.
    static func build(
        _ context: ServiceContext, configuration: IngestConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let apps = await context.openApps(configuration.apps)
        let access = try await RegistryAccess.open(context, sweepInterval: configuration.sweepInterval)
        let tasks = try await TaskAccess.open(context, store: access.connection, room: access.room)
        let limits = RequestLimits(configuration.limits, time: environment.time)
        let parts = IngestParts(
            access.registry, reader: access.reader, audiences: access.audiences, topics: access.topics,
            transfers: access.transfers, activities: access.activities, access: tasks,
            addresses: configuration.addresses, limits: limits,
            idempotencyLease: configuration.idempotencyLease, hasLog: context.hasLoggedRegistry,
            isRegistryReady: { [registry = access.maintenance] in try await registry.state() == .ready },
            apps: { apps.current }, environment: environment)
        let sessions =
            configuration.console.isServed
            ? ConsoleSessions(
                apps: { apps.current }, time: environment.time, isSecure: configuration.server.tls != nil) : nil
        let moods = simulatorMoods(configuration.console, environment: environment)
        let routes = IngestRoutes(
            parts,
            gatekeeper: Gatekeeper(
                limits: limits, crossOrigin: CrossOrigin { apps.current.isKnown(origin: $0) }, sessions: sessions,
                access: { apps.access(presented: $0, peer: $1) }),
            simulator: moods)
        let server = HTTPServer(
            name: "ingest", configuration: configuration.server, router: routes.router, log: environment.log,
            metrics: environment.metrics, time: environment.time)
        environment.health.addReadinessCheck("public server") { server.readiness }
        let own = try await DatagramAccess.open(configuration.datagrams, in: context, room: access.room)
        let datagrams: [any Service]? = try own.map { own in
            [own.resources, try parts.datagrams(own.settings, access: own.tasks) { apps.current }]
        }
        let lag = context.hasLoggedRegistry ? [GroupLag(context.bus, environment: environment)] : []
        let connections = SharedResources { [producer = tasks.producer] in
            await producer.close()
            await moods?.close()
        }
        let keeper = parts.activityKeeper { apps.current.apps.map(\.id) }
        let service = HTTPService("public server", server: server)
        return lag + access.services + [connections, apps, parts.released, keeper, service, parts.live]
            + (datagrams ?? [])
    }

    private static func simulatorMoods(
        _ settings: ConsoleSettings, environment: WorkerEnvironment
    ) -> SimulatorMoods? {
        guard settings.isServed, let address = settings.simulator else { return nil }
        let client = HTTPClient(
            configuration: HTTPClientConfiguration(name: "simulator"), log: environment.log,
            metrics: environment.metrics, time: environment.time)
        return SimulatorMoods(address, client: client)
    }
}
