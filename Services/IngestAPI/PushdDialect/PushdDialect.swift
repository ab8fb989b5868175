import Apps
import HTTPServer
import ServiceKit
import Store

/// pushd's HTTP API for registration, as its clients use it. The differences between its documentation and the real
/// pushd are listed in `docs/decisions/009-what-pushd-clients-meet.md`.
struct PushdDialect: Sendable {
    typealias Handler = @Sendable (PushdCall) async throws -> HTTPResponse

    /// Far more than the allowed subscriptions need, so that a request with too many gets an error that says so.
    private static let bulkBytesMaximum = 2 << 20

    let registry: any Registry
    let submission: TaskSubmission
    let gatekeeper: Gatekeeper
    let reading: BodyReading
    let log: RefusalLog

    func addRoutes(to router: inout HTTPRouter) {
        let subscribers = SubscriberRoutes(registry: registry, submission: submission)
        route(.post, pattern: "/subscribers", in: &router, handler: subscribers.register)
        route(.get, pattern: "/subscriber/:id", in: &router, handler: subscribers.read)
        route(.post, pattern: "/subscriber/:id", in: &router, handler: subscribers.update)
        route(.delete, pattern: "/subscriber/:id", in: &router, handler: subscribers.remove)
        route(.post, pattern: "/subscriber/:id/test", in: &router, handler: subscribers.test)

        let subscriptions = SubscriptionRoutes(registry: registry)
        let list = "/subscriber/:id/subscriptions"
        route(.get, pattern: list, in: &router, handler: subscriptions.list)
        route(
            .post, pattern: list, bodyBytesMaximum: PushdDialect.bulkBytesMaximum, in: &router,
            handler: subscriptions.setAll)
        route(.delete, pattern: list, in: &router, handler: subscriptions.removeAll)
        route(.get, pattern: "\(list)/:event", in: &router, handler: subscriptions.read)
        route(.post, pattern: "\(list)/:event", in: &router, handler: subscriptions.subscribe)
        route(.delete, pattern: "\(list)/:event", in: &router, handler: subscriptions.unsubscribe)
    }

    /// Adds each route at the root, as in pushd, and below `/apps/:app`.
    private func route(
        _ method: HTTPMethod, pattern: String, bodyBytesMaximum: Int? = nil, in router: inout HTTPRouter,
        handler: @escaping Handler
    ) {
        for base in ["", "/apps/:app"] {
            router.on(
                method, pattern: base + pattern, spelling: .lenient, bodyBytesMaximum: bodyBytesMaximum,
                renderProblem: PushdError.render,
                admit: { request in
                    admit(request, toAppNamed: base.isEmpty ? nil : request.parameter("app"), handler: handler)
                })
        }
    }

    private func admit(
        _ request: HTTPRequest, toAppNamed name: String?, handler: @escaping Handler
    ) -> HTTPAdmission {
        do {
            let caller = try gatekeeper.admit(request, toAppNamed: name, for: [.register])
            let base = name == nil ? "" : "/apps/\(caller.app.id)"
            return .admitted(account: caller.account) { request in
                do {
                    let call = PushdCall(
                        request: request, caller: caller, base: base, limits: gatekeeper.limits,
                        reading: reading)
                    return try await answer(call, handler: handler)
                } catch {
                    return refusal(error).response
                }
            }
        } catch {
            return .refused(refusal(error).response)
        }
    }

    /// Counts unknown subscribers, so that an address that guesses ids is refused after some time.
    private func answer(_ call: PushdCall, handler: Handler) async throws -> HTTPResponse {
        do {
            return try await handler(call)
        } catch PushdError.unknownSubscriber {
            gatekeeper.limits.noteUnknownDevice(in: call.app, from: call.request.peer)
            throw PushdError.unknownSubscriber
        }
    }

    private func refusal(_ error: any Error) -> PushdError {
        switch error {
        case let error as PushdError: return error
        case let error as Gatekeeper.AccessError: return .access(error)
        case let error as StoreError:
            log.note(error)
            return .store(error)
        default: return .task(TaskError(error, log: log))
        }
    }
}
