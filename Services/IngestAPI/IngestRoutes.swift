import HTTPServer

/// Everything that `ingest-api` answers on its public port.
enum IngestRoutes {
    static func router(_ pushd: PushdDialect) -> HTTPRouter {
        var router = HTTPRouter()
        pushd.addRoutes(to: &router)
        router.on(.get, "/openapi.yaml") { _ in
            // The type is RFC 9512's.
            HTTPResponse(
                .ok, headers: [HTTPField("Content-Type", "application/yaml")],
                body: .bytes(PackageResources.openapi_yaml))
        }
        return router
    }
}
