import Apps
import HTTPServer
import ServiceKit

/// The API under `/v1`, into which every dialect maps.
struct NativeDialect: Sendable {
    typealias Handler = @Sendable (NativeCall) async throws -> HTTPResponse

    let gatekeeper: Gatekeeper
    let tasks: TaskRoutes
    let reading: BodyReading
    let log: RefusalLog

    func addRoutes(to router: inout HTTPRouter) {
        let publishing: [Scope] = [.publish, .broadcast]
        route(
            .post, "/v1/tasks", publishing, query: ["dry_run"], bodyBytesMaximum: TaskLimits.bodyBytesMaximum,
            in: &router, tasks.create)
        route(.get, "/v1/tasks", [.read], query: ["limit", "before"], in: &router, tasks.list)
        route(.get, "/v1/tasks/:id", [.read], in: &router, tasks.read)
        route(.get, "/v1/tasks/:id/report", [.read], in: &router, tasks.report)
        route(.get, "/v1/tasks/:id/devices/:device", [.read], in: &router, tasks.trace)
        route(.post, "/v1/tasks/:id/cancel", publishing + [.admin], in: &router, tasks.cancel)
    }

    /// Each route stands on its own, and below an app's path for keys that are granted several. Any of the scopes lets a
    /// caller in; a query may have the names in `query` and no others.
    private func route(
        _ method: HTTPMethod, _ pattern: String, _ scopes: [Scope], query: [String] = [],
        bodyBytesMaximum: Int? = nil, in router: inout HTTPRouter, _ handler: @escaping Handler
    ) {
        for base in ["", "/apps/:app"] {
            router.on(
                method, base + pattern, bodyBytesMaximum: bodyBytesMaximum,
                admit: { request in
                    admit(
                        request, toAppNamed: base.isEmpty ? nil : request.parameter("app"), for: scopes, query: query,
                        handler)
                })
        }
    }

    private func admit(
        _ request: HTTPRequest, toAppNamed name: String?, for scopes: [Scope], query: [String],
        _ handler: @escaping Handler
    ) -> HTTPAdmission {
        do {
            let admission = try gatekeeper.admit(request, toAppNamed: name, for: scopes)
            try TaskQuery.check(request, knows: query)
            let base = name == nil ? "" : "/apps/\(admission.app.id)"
            return .admitted(account: admission.account) { request in
                do {
                    return try await handler(
                        NativeCall(request: request, admission: admission, base: base, reading: reading))
                } catch {
                    return TaskError(error, log: log).response()
                }
            }
        } catch {
            return .refused(TaskError(error, log: log).response())
        }
    }
}
