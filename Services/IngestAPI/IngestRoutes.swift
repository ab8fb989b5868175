import Bus
import HTTPServer

/// All routes of the public port.
struct IngestRoutes {
    private let gatekeeper: Gatekeeper
    private let refusals: RefusalMeters
    private let dialects: [any Dialect]
    private let status: ServiceStatus
    /// Nil unless it is served.
    private let console: ConsoleRoutes?

    init(_ parts: IngestParts, gatekeeper: Gatekeeper, simulator: SimulatorMoods? = nil) {
        self.gatekeeper = gatekeeper
        console = gatekeeper.sessions.map { sessions in
            ConsoleRoutes(
                sessions: sessions, limits: gatekeeper.limits, simulator: simulator, reading: parts.reading,
                log: parts.log)
        }
        refusals = RefusalMeters(parts.environment.metrics)
        dialects = parts.dialects
        status = ServiceStatus(parts.environment)
    }

    var router: HTTPRouter {
        var router = HTTPRouter()
        for dialect in dialects {
            CountedDialect(dialect: dialect, refusals: refusals).addRoutes(to: &router, gatekeeper: gatekeeper)
        }
        router.on(.get, pattern: "/status") { [status] _ in await status.answer() }
        router.on(.get, pattern: "/openapi.yaml") { _ in
            // The type is RFC 9512's.
            HTTPResponse(
                .ok, headers: [HTTPField("Content-Type", "application/yaml")],
                body: .bytes(PackageResources.openapi_yaml))
        }
        for script in BrowserScript.all {
            router.on(.get, pattern: script.path) { request in script.answer(request) }
        }
        console?.add(to: &router)
        return router
    }
}
