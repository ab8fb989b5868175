import Apps
import HTTPServer
import ServiceKit

/// The API under `/v1`, to which every dialect maps.
struct NativeDialect: Sendable {
    typealias Handler = @Sendable (NativeCall) async throws -> HTTPResponse

    let gatekeeper: Gatekeeper
    let tasks: TaskRoutes
    let reading: BodyReading
    let log: RefusalLog

    func addRoutes(to router: inout HTTPRouter) {
        let publishing: [Scope] = [.publish, .broadcast]
        route(
            .post, pattern: "/v1/tasks", scopes: publishing, query: ["dry_run"],
            bodyBytesMaximum: TaskLimits.bodyBytesMaximum,
            in: &router, handler: tasks.create)
        route(
            .get, pattern: "/v1/tasks", scopes: [.read], query: ["limit", "before"], in: &router, handler: tasks.list)
        route(.get, pattern: "/v1/tasks/:id", scopes: [.read], in: &router, handler: tasks.read)
        route(.get, pattern: "/v1/tasks/:id/report", scopes: [.read], in: &router, handler: tasks.report)
        route(.get, pattern: "/v1/tasks/:id/devices/:device", scopes: [.read], in: &router, handler: tasks.trace)
        route(.post, pattern: "/v1/tasks/:id/cancel", scopes: publishing + [.admin], in: &router, handler: tasks.cancel)
    }

    /// Adds each route at the root and below `/apps/:app`, for keys with several apps. Any one of the scopes suffices;
    /// only the query parameters in `query` are allowed.
    private func route(
        _ method: HTTPMethod, pattern: String, scopes: [Scope], query: [String] = [],
        bodyBytesMaximum: Int? = nil, in router: inout HTTPRouter, handler: @escaping Handler
    ) {
        for base in ["", "/apps/:app"] {
            router.on(
                method, pattern: base + pattern, bodyBytesMaximum: bodyBytesMaximum,
                admit: { request in
                    admit(
                        request, toAppNamed: base.isEmpty ? nil : request.parameter("app"), for: scopes, query: query,
                        handler: handler)
                })
        }
    }

    private func admit(
        _ request: HTTPRequest, toAppNamed name: String?, for scopes: [Scope], query: [String],
        handler: @escaping Handler
    ) -> HTTPAdmission {
        do {
            let caller = try gatekeeper.admit(request, toAppNamed: name, for: scopes)
            try TaskQuery.check(request, knows: query)
            let base = name == nil ? "" : "/apps/\(caller.app.id)"
            return .admitted(account: caller.account) { request in
                do {
                    return try await handler(
                        NativeCall(request: request, caller: caller, base: base, reading: reading))
                } catch {
                    return TaskError(error, log: log).response()
                }
            }
        } catch {
            return .refused(TaskError(error, log: log).response())
        }
    }
}
