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
        case .methodNotAllowed(let allow):
            let headers = [HTTPField("Allow", allow)]
            let problem = Problem(.methodNotAllowed, detail: "This path supports \(allow).")
            let isOptions = head.method == .options
            let response =
                isOptions ? HTTPResponse(.noContent, headers: headers) : problem.response(headers: headers)
            self.init(.answer(response), route: nil)
        case .route(let route, let parameters):
            let client = ClientAddress(core.configuration.proxies.client(peer: address, head.headers))
            let request = HTTPRequest(
                method: head.method, path: head.target.path, query: head.target.query, headers: head.headers,
                peer: client.text, parameters: parameters)
            self.init(Reception.admit(request, to: route, head: head, payer: client.payer, core: core), route: route)
        }
    }

    private init(_ verdict: Verdict, route: HTTPRouter.Route?) {
        self.verdict = verdict
        self.route = route
    }

    private static func admit(
        _ request: HTTPRequest, to route: HTTPRouter.Route, head: RequestHead, payer: String, core: ServerCore
    ) -> Verdict {
        switch route.answering {
        case .immediately(let respond): return .answer(respond(request))
        case .admitted(let decide):
            switch decide(request) {
            case .refused(let response): return .answer(response)
            case .admitted(let account, let bodyBytesMaximum, let handler):
                let maximum = bodyBytesMaximum ?? route.bodyBytesMaximum ?? core.configuration.bodyBytesMaximum
                let payers = BodyBudget.Payers(peer: payer, account: account)
                let intake = BodyIntake(
                    framing: head.framing, bytesMaximum: maximum, budget: core.budget, payers: payers)
                if case .length(let count) = head.framing {
                    guard count <= maximum else { return .refuse(.bodyTooLarge(bytesMaximum: maximum)) }
                    guard core.budget.hasRoom(for: count, of: payers) else { return .refuse(.bodiesTooLarge) }
                }
                return .receive(Exchange(request, handler: handler, framing: head.framing, intake: intake))
            }
        }
    }
}

extension RequestError {
    /// In the format of the route's API, if a route was found.
    func response(for route: HTTPRouter.Route?) -> HTTPResponse {
        var response = route?.renderProblem(problem) ?? problem.response()
        response.headers += headers
        return response
    }
}
