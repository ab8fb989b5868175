import Apps
import HTTPServer

extension Dialect {
    /// Adds all routes. Each request is admitted or refused by its head, before its body is read.
    func addRoutes(to router: inout HTTPRouter, gatekeeper: Gatekeeper) {
        for route in routes {
            switch route.handler {
            case .appInPath(let handler):
                add(route, to: &router) { request in
                    let (caller, limit) = try gatekeeper.admit(request, toAppNamed: nil, for: route.scopes)
                    return admitted(caller, base: "", limit: limit, handler: handler)
                }
                add(route, below: "/apps/:app", to: &router) { request in
                    let name = request.parameter("app")
                    let (caller, limit) = try gatekeeper.admit(request, toAppNamed: name, for: route.scopes)
                    return admitted(caller, base: "/apps/\(caller.app.id)", limit: limit, handler: handler)
                }
            case .appInBody(let dialect, let handler):
                add(route, to: &router) { request in
                    let caller = try gatekeeper.admit(request, naming: dialect, for: route.scopes)
                    return admitted(caller, handler: handler)
                }
            }
        }
    }

    private func add(
        _ route: DialectRoute, below base: String = "", to router: inout HTTPRouter,
        admit: @escaping @Sendable (HTTPRequest) throws -> HTTPAdmission
    ) {
        router.on(
            route.method, pattern: base + route.pattern, spelling: spelling, bodyBytesMaximum: route.bodyBytesMaximum,
            renderProblem: { refusal(of: $0) },
            admit: { request in
                var counted: [HTTPField] = []
                do {
                    let admission = try admit(request)
                    if case .admitted(_, _, let headers, _) = admission { counted = headers }
                    if let names = route.query { try request.checkQuery(allows: names) }
                    return admission
                } catch {
                    var response = refusal(error)
                    response.headers += counted
                    return .refused(response)
                }
            })
    }

    private func admitted(
        _ caller: AuthorizedCaller, base: String, limit: RateLimitStatus?,
        handler: @escaping @Sendable (AuthorizedRequest) async throws -> HTTPResponse
    ) -> HTTPAdmission {
        .admitted(account: caller.account, headers: limit?.headers ?? []) { request in
            await answer {
                try await handler(AuthorizedRequest(request: request, caller: caller, base: base))
            }
        }
    }

    private func admitted(
        _ caller: UnnamedCaller, handler: @escaping @Sendable (HTTPRequest, UnnamedCaller) async throws -> HTTPResponse
    ) -> HTTPAdmission {
        let counted = caller.headers
        return .admitted(account: caller.account, headers: counted) { request in
            var response = await answer { try await handler(request, caller) }
            // Otherwise the request was counted when its body named the app.
            if counted.isEmpty { response.headers += caller.headers }
            return response
        }
    }

    private func answer(_ handler: () async throws -> HTTPResponse) async -> HTTPResponse {
        do {
            return try await handler()
        } catch {
            return refusal(error)
        }
    }
}
