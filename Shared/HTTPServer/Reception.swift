import ServiceKit

/// Decides how to handle a request from its head alone, in the same way for every protocol: rights and sizes are
/// checked before any byte of the body is kept.
struct Reception {
    enum Verdict {
        /// Answer without reading the body.
        case answer(HTTPResponse)
        case refuse(RequestError)
        /// Admitted; the exchange takes the body.
        case receive(Exchange)
    }

    let verdict: Verdict
    /// Nil if the request's path has no route.
    let route: HTTPRouter.Route?

    init(_ head: RequestHead, from address: IPAddress?, core: ServerCore) {
        guard let segments = head.target.segments else {
            self.init(.answer(HTTPResponse(.noContent)), route: nil)
            return
        }
        switch core.router.match(head.method, segments: segments) {
        case .notFound:
            self.init(.answer(Problem(.notFound, detail: "Unknown path.").response()), route: nil)
        case .methodNotAllowed(let allow, let renderProblem):
            let headers = [HTTPField("Allow", allow)]
            let problem = Problem(.methodNotAllowed, detail: "This path supports \(allow).")
            let isOptions = head.method == .options
            var response = isOptions ? HTTPResponse(.noContent) : renderProblem(problem)
            response.headers += headers
            self.init(.answer(response), route: nil)
        case .route(let route, let parameters):
            let client = ClientAddress(core.configuration.proxies.client(peer: address, head.headers))
            let request = HTTPRequest(
                method: head.method, path: head.target.path, query: head.target.query, headers: head.headers,
                peer: client.text, parameters: parameters)
            self.init(request, to: route, head: head, payer: client.payer, core: core)
        }
    }

    private init(
        _ request: HTTPRequest, to route: HTTPRouter.Route, head: RequestHead, payer: String, core: ServerCore
    ) {
        switch route.answering {
        case .immediately(let respond): self.init(.answer(respond(request)), route: route)
        case .admitted(let decide):
            switch decide(request) {
            case .refused(let response): self.init(.answer(response), route: route)
            case .admitted(let account, let bodyBytesMaximum, let headers, let handler):
                let maximum = bodyBytesMaximum ?? route.bodyBytesMaximum ?? core.configuration.bodyBytesMaximum
                let verdict = Reception.receive(
                    request, head: head, bytesMaximum: maximum,
                    payers: BodyBudget.Payers(peer: payer, account: account), core: core,
                    handler: Reception.adding(headers, to: handler))
                self.init(verdict, route: route.adding(headers))
            }
        }
    }

    private init(_ verdict: Verdict, route: HTTPRouter.Route?) {
        self.verdict = verdict
        self.route = route
    }

    private static func receive(
        _ request: HTTPRequest, head: RequestHead, bytesMaximum: Int, payers: BodyBudget.Payers, core: ServerCore,
        handler: @escaping HTTPRouter.Handler
    ) -> Verdict {
        let intake = BodyIntake(framing: head.framing, bytesMaximum: bytesMaximum, budget: core.budget, payers: payers)
        if case .length(let count) = head.framing {
            guard count <= bytesMaximum else { return .refuse(.bodyTooLarge(bytesMaximum: bytesMaximum)) }
            guard core.budget.hasRoom(for: count, of: payers) else { return .refuse(.bodiesTooLarge) }
        }
        return .receive(Exchange(request, handler: handler, framing: head.framing, intake: intake))
    }

    private static func adding(
        _ headers: [HTTPField], to handler: @escaping HTTPRouter.Handler
    ) -> HTTPRouter.Handler {
        guard !headers.isEmpty else { return handler }
        return { request in
            var response = await handler(request)
            response.headers += headers
            return response
        }
    }
}

extension RequestError {
    /// In the format of the route's API, if a route was found.
    func response(for route: HTTPRouter.Route?) -> HTTPResponse {
        var response = route?.renderProblem(problem) ?? problem.response()
        response.headers += headers
        response.headers += route?.headers ?? []
        return response
    }
}
