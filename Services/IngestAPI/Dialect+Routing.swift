import Apps
import HTTPServer

extension Dialect {
    /// Adds all routes. Each request is admitted or refused by its head, before its body is read.
    func addRoutes(to router: inout HTTPRouter, gatekeeper: Gatekeeper) {
        for route in routes {
            switch route.handler {
            case .appInPath(let handler):
                add(route, to: &router) { request in
                    let caller = try gatekeeper.admit(request, toAppNamed: nil, for: route.scopes)
                    return admitted(caller, base: "", handler: handler)
                }
                add(route, below: "/apps/:app", to: &router) { request in
                    let name = request.parameter("app")
                    let caller = try gatekeeper.admit(request, toAppNamed: name, for: route.scopes)
                    return admitted(caller, base: "/apps/\(caller.app.id)", handler: handler)
                }
            case .appInBody(let handler):
                add(route, to: &router) { request in
                    let access = try gatekeeper.access(of: request, with: route.scopes)
                    return admitted(account: access.keyID) { try await handler($0, access) }
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
                do {
                    let admission = try admit(request)
                    if let names = route.query { try request.checkQuery(allows: names) }
                    return admission
                } catch {
                    return .refused(refusal(error))
                }
            })
    }

    private func admitted(
        _ caller: AuthorizedCaller, base: String,
        handler: @escaping @Sendable (AuthorizedRequest) async throws -> HTTPResponse
    ) -> HTTPAdmission {
        admitted(account: caller.account) { request in
            try await handler(AuthorizedRequest(request: request, caller: caller, base: base))
        }
    }

    private func admitted(
        account: String?, handler: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) -> HTTPAdmission {
        .admitted(account: account) { request in
            do {
                return try await handler(request)
            } catch {
                return refusal(error)
            }
        }
    }
}
