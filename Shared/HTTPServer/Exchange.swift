import ServiceKit
import Synchronization

/// One request and its answer.
///
/// Made when the library has read a request line, released when the library says the request is over; between the two
/// a handler's task may hold it as well, and longer than that. All but `answer` and `abandon` run on the thread of the
/// library that serves the connection.
///
/// Locks: `lock` is the outer one to the library's lock of suspended connections, and to none of ours.
final class Exchange: Sendable {
    private struct State: ~Copyable {
        var phase = ExchangePhase.receiving
        var intake: BodyIntake?
        var plan: Plan?
        var hasBegun = false
        var began = Duration.zero
        var stream: HTTPStream?
    }

    /// Which handler is to be called, and with what.
    private struct Plan {
        let route: HTTPRouter.Route
        let method: HTTPMethod
        let target: RequestTarget
        let headers: HTTPHeaders
        let parameters: [String: String]

        func request(body: HTTPRequestBody, peer: String) -> HTTPRequest {
            HTTPRequest(
                method: method, path: target.path, query: target.query, headers: headers, body: body, peer: peer,
                parameters: parameters)
        }
    }

    enum Outcome {
        /// The library is to carry on: it reads more, or has been told to wait.
        case proceed
        case send(HTTPResponse)
        case close
    }

    let target: String
    let connection: Connection
    private let core: ServerCore
    private let handle: ConnectionHandle
    private let lock = Mutex(State())

    init(target: String, connection: Connection, handle: ConnectionHandle, core: ServerCore) {
        self.target = target
        self.connection = connection
        self.handle = handle
        self.core = core
    }

    var hasBegun: Bool { lock.withLock { $0.hasBegun } }

    /// The header is complete.
    func begin(_ head: RequestHead) -> Outcome {
        core.requestBegan()
        let now = core.time.uptime
        lock.withLock { state in
            state.hasBegun = true
            state.began = now
        }
        connection.headerCompleted(by: self, at: now)
        // After the line above, so that a server that gives up either finds this exchange or is seen here.
        guard !core.isAbandoning else { return refuse(.stopping) }
        switch head.check(bytesMaximum: core.configuration.headerBytesMaximum) {
        case .failure(let refusal): return refuse(refusal)
        case .success(let verdict): return route(head, verdict)
        }
    }

    private func route(_ head: RequestHead, _ verdict: RequestHead.Verdict) -> Outcome {
        guard let segments = verdict.target.segments else {
            return answerWithoutHandler(HTTPResponse(.noContent), verdict)
        }
        switch core.router.match(head.method, segments) {
        case .notFound:
            return answerWithoutHandler(Problem(.notFound, detail: "Nothing is at this path.").response(), verdict)
        case .methodNotAllowed(let allow):
            let headers = [HTTPField("Allow", allow)]
            guard head.method != .options else {
                return answerWithoutHandler(HTTPResponse(.noContent, headers: headers), verdict)
            }
            let problem = Problem(.methodNotAllowed, detail: "This path takes \(allow).")
            return answerWithoutHandler(problem.response(headers: headers), verdict)
        case .route(let route, let parameters):
            let plan = Plan(
                route: route, method: head.method, target: verdict.target, headers: head.headers,
                parameters: parameters)
            return receive(plan, verdict.framing)
        }
    }

    private func receive(_ plan: Plan, _ framing: BodyFraming) -> Outcome {
        let bytesMaximum = plan.route.bodyBytesMaximum ?? core.configuration.bodyBytesMaximum
        lock.withLock { $0.plan = plan }
        if case .length(let count) = framing {
            guard count <= bytesMaximum else { return refuse(.bodyTooLarge(bytesMaximum: bytesMaximum)) }
            guard core.budget.hasRoom(for: count) else { return refuse(.bodiesTooLarge) }
        }
        guard framing != .none else { return .proceed }
        lock.withLock { state in
            state.intake = BodyIntake(framing: framing, bytesMaximum: bytesMaximum, budget: core.budget)
        }
        return .proceed
    }

    /// Keeps the connection when the body is short enough to be read over.
    private func answerWithoutHandler(_ response: HTTPResponse, _ verdict: RequestHead.Verdict) -> Outcome {
        let isShort =
            switch verdict.framing {
            case .none: true
            case .length(let count): count <= core.configuration.bodyBytesMaximum && !verdict.expectsContinue
            case .chunked: false
            }
        guard isShort else { return sendAtOnce(response) }
        lock.withLock { state in
            state.phase.refuse(response)
            if verdict.framing != .none { state.intake = BodyIntake(discardingFor: core.budget) }
        }
        return .proceed
    }

    private func refuse(_ refusal: Refusal) -> Outcome {
        sendAtOnce(response(to: refusal))
    }

    /// Before the body, which nobody will read: so the connection ends with the answer.
    private func sendAtOnce(_ response: HTTPResponse) -> Outcome {
        var response = response
        response.closesConnection = true
        connection.linger()
        return lock.withLock { state in
            state.phase.refuse(response)
            guard case .send(let response) = state.phase.step() else { return .close }
            return .send(response)
        }
    }

    private func response(to refusal: Refusal) -> HTTPResponse {
        core.instruments.countRefusal(refusal.reason)
        let render = lock.withLock { $0.plan?.route.renderProblem }
        var response = render?(refusal.problem) ?? refusal.problem.response()
        response.headers += refusal.headers
        return response
    }

    /// A part of the body has come.
    func take(_ part: UnsafeRawBufferPointer) -> Outcome {
        let step = lock.withLock { state in
            state.intake?.take(part) ?? .giveUp
        }
        guard step == .giveUp else { return .proceed }
        core.instruments.countRefusal(.bodyEndless)
        return .close
    }

    /// The request is complete, or the connection was resumed: what happens next.
    func advance() -> Outcome {
        if let refusal = lock.withLock({ $0.intake?.refusal }) {
            let response = response(to: refusal)
            lock.withLock { state in
                state.phase.refuse(response)
                state.intake = nil
            }
        }
        connection.requestCompleted()
        let (step, request, handler) = lock.withLock { state in
            let step = state.phase.step()
            guard case .handle = step, let plan = state.plan else {
                return (step, HTTPRequest?.none, HTTPRouter.Handler?.none)
            }
            // Under the lock: `abandon` finds the connection either not suspended yet or ready to be resumed.
            handle.suspend()
            let body = state.intake?.finish() ?? .empty
            state.intake = nil
            return (step, plan.request(body: body, peer: connection.peer), plan.route.handler)
        }
        switch step {
        case .send(let response): return .send(response)
        case .close: return .close
        case .handle: break
        }
        guard let request, let handler else { preconditionFailure("a request came to its handler without a route") }
        Task { answer(await handler(request)) }
        return .proceed
    }

    /// From any thread.
    private func answer(_ response: HTTPResponse) {
        let isWaitedFor = lock.withLock { $0.phase.answer(response) }
        if isWaitedFor { handle.resume() } else { response.stream?.leave() }
    }

    /// From any thread: the server waits no longer for this request.
    func abandon() {
        switch lock.withLock({ $0.phase.abandon() }) {
        case .nothing: break
        case .resume: handle.resume()
        case .cut(let stream): stream.leave()
        }
    }

    /// From any thread: the reader of a stream has gone.
    func cutStream() {
        let stream = lock.withLock { state in
            guard case .sending(let stream) = state.phase else { return HTTPStream?.none }
            return stream
        }
        stream?.leave()
    }

    /// The library has taken the answer.
    func answerQueued(_ response: HTTPResponse) {
        let (began, route) = lock.withLock { state in
            state.stream = response.stream
            return (state.began, state.plan?.route.name)
        }
        core.instruments.countAnswer(response.status, route: route, duration: core.time.uptime - began)
        guard let stream = response.stream else { return }
        stream.attach(handle)
        // After the phase became `sending`: a client that finishes now finds the stream itself.
        if connection.hasClientFinished { stream.leave() }
    }

    /// The library is done with the request, for good or ill.
    func end() {
        let (stream, hasBegun) = lock.withLock { state in
            state.intake = nil
            return (state.stream, state.hasBegun)
        }
        stream?.leave()
        guard hasBegun else { return }
        connection.requestEnded(at: core.time.uptime)
        core.requestEnded()
    }
}
