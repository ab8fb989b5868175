import Apps
import Bus
import ServiceHost
import ServiceKit

extension IngestAPI {
    /// The public port comes last and goes first: nobody is answered without what answers need.
    static func build(
        _ context: ServiceContext, _ configuration: IngestConfiguration
    ) async throws -> [any Service] {
        let environment = context.environment
        let apps = await AppDirectory.open(
            configuration.apps, log: environment.log, metrics: environment.metrics, health: environment.health,
            time: environment.time)
        let access = try await RegistryAccess.open(context, sweepInterval: configuration.sweepInterval)
        let pushd = PushdDialect(
            registry: access.registry, gatekeeper: Gatekeeper { apps.access(presented: $0, peer: $1) },
            log: environment.log)
        let server = PublicServer(
            configuration.server, router: IngestRoutes.router(pushd), log: environment.log,
            metrics: environment.metrics, time: environment.time)
        return access.services + [apps, server]
    }
}
