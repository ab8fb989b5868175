import Apps
import HTTPServer

extension Dialect {
    /// Adds all routes. Each request is admitted or refused by its head, before its body is read; one that has its key
    /// in the body is received within bounds.
    func addRoutes(to router: inout HTTPRouter, gatekeeper: Gatekeeper) {
        addPreflights(to: &router, gatekeeper: gatekeeper)
        for route in routes {
            switch route.handler {
            case .appInPath(let handler):
                for base in ["", "/apps/:app"] {
                    add(route, below: base, to: &router, crossOrigin: gatekeeper.crossOrigin) { request in
                        let name = base.isEmpty ? nil : request.parameter("app")
                        let (caller, limit) = try gatekeeper.admit(
                            request, toAppNamed: name, for: route.scopes, allowsPublicKeys: route.allowsPublicKeys)
                        let allowsPages = route.allowsPublicKeys
                        let fields = allowsPages ? gatekeeper.crossOrigin.fields(for: request, of: caller) : []
                        return admitted(
                            caller, base: base.isEmpty ? "" : "/apps/\(caller.app.id)",
                            headers: (limit?.headers ?? []) + fields, handler: handler)
                    }
                }
            case .appInBody(let dialect, let handler):
                add(route, to: &router, crossOrigin: gatekeeper.crossOrigin) { request in
                    let caller = try gatekeeper.admit(
                        request, naming: dialect, for: route.scopes, keyParameter: route.keyParameter)
                    return admitted(caller, handler: handler)
                }
            case .appAndKeyInBody(let dialect, let handler):
                add(route, to: &router, crossOrigin: gatekeeper.crossOrigin) { request in
                    let caller = try gatekeeper.receive(request, naming: dialect, for: route.scopes)
                    return received(caller, handler: handler)
                }
            }
        }
    }

    /// One for each path that public keys may use.
    private func addPreflights(to router: inout HTTPRouter, gatekeeper: Gatekeeper) {
        let open = routes.filter(\.allowsPublicKeys)
        for pattern in Set(open.map(\.pattern)).sorted() {
            let methods = open.filter { $0.pattern == pattern }.map(\.method)
            for base in ["", "/apps/:app"] {
                router.on(.options, pattern: base + pattern, renderProblem: { refusal(of: $0) }) { request in
                    do {
                        return .refused(try gatekeeper.preflight(request, methods: methods))
                    } catch {
                        return .refused(refusal(error))
                    }
                }
            }
        }
    }

    private func add(
        _ route: DialectRoute, below base: String = "", to router: inout HTTPRouter, crossOrigin: CrossOrigin,
        admit: @escaping @Sendable (HTTPRequest) throws -> HTTPAdmission
    ) {
        router.on(
            route.method, pattern: base + route.pattern, spelling: spelling, bodyBytesMaximum: route.bodyBytesMaximum,
            renderProblem: { refusal(of: $0) },
            admit: { request in
                var fields = route.allowsPublicKeys ? crossOrigin.fields(ofRefused: request) : []
                do {
                    let admission = try admit(request)
                    if case .admitted(_, _, let headers, _) = admission { fields = headers }
                    if let names = route.query {
                        try request.checkQuery(allows: names + (route.keyParameter.map { [$0] } ?? []))
                    }
                    return admission
                } catch {
                    var response = refusal(error)
                    response.headers += fields
                    return .refused(response)
                }
            })
    }

    private func admitted(
        _ caller: AuthorizedCaller, base: String, headers: [HTTPField],
        handler: @escaping @Sendable (AuthorizedRequest) async throws -> HTTPResponse
    ) -> HTTPAdmission {
        .admitted(account: caller.account, headers: headers) { request in
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

    private func received(
        _ caller: BodyKeyCaller, handler: @escaping @Sendable (HTTPRequest, BodyKeyCaller) async throws -> HTTPResponse
    ) -> HTTPAdmission {
        let counted = caller.headers
        return .admitted(
            account: caller.account, bodyBytesMaximum: caller.bodyBytesMaximum, headers: counted
        ) { request in
            var response = await answer { try await handler(request, caller) }
            caller.release()
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
