import Apps
import Bus
import HTTPServer
import ServiceHost
import ServiceKit

extension EventStream {
    /// The public port starts last and stops first.
    static func build(
        _ context: ServiceContext, configuration: EventStreamConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let apps = await context.openApps(configuration.apps)
        let hub = EventHub(
            limits: configuration.limits, metrics: environment.metrics, time: environment.time,
            random: environment.random)
        let reader = EventReader(hub, context: context)
        let routes = StreamRoutes(
            hub: hub, apps: { apps.current }, isReady: { reader.readiness == .ready }, metrics: environment.metrics,
            time: environment.time)
        let server = HTTPServer(
            name: "stream", configuration: configuration.server, router: routes.router, log: environment.log,
            metrics: environment.metrics, time: environment.time)
        environment.health.addReadinessCheck("public server") { server.readiness }
        return [
            apps, reader,
            StreamServer(
                server, hub: hub, apps: apps, drainSpread: configuration.drainSpread, time: environment.time),
        ]
    }
}
