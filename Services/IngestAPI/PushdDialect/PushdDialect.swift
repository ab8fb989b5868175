import Apps
import HTTPServer
import ServiceKit
import Store

/// pushd's HTTP API as its clients speak it, for registration. Where its documentation and the real pushd differ is
/// written down in `docs/decisions/009-what-pushd-clients-meet.md`.
struct PushdDialect: Sendable {
    typealias Handler = @Sendable (PushdCall) async throws -> HTTPResponse

    /// Room for far more subscriptions than are allowed, so that too many are told so.
    private static let bulkBytesMaximum = 2 << 20

    let registry: any Registry
    let submission: TaskSubmission
    let gatekeeper: Gatekeeper
    let reading: BodyReading
    let log: RefusalLog

    func addRoutes(to router: inout HTTPRouter) {
        let subscribers = SubscriberRoutes(registry: registry, submission: submission)
        route(.post, "/subscribers", in: &router, subscribers.register)
        route(.get, "/subscriber/:id", in: &router, subscribers.read)
        route(.post, "/subscriber/:id", in: &router, subscribers.update)
        route(.delete, "/subscriber/:id", in: &router, subscribers.remove)
        route(.post, "/subscriber/:id/test", in: &router, subscribers.test)

        let subscriptions = SubscriptionRoutes(registry: registry)
        let list = "/subscriber/:id/subscriptions"
        route(.get, list, in: &router, subscriptions.list)
        route(.post, list, bodyBytesMaximum: PushdDialect.bulkBytesMaximum, in: &router, subscriptions.setAll)
        route(.delete, list, in: &router, subscriptions.removeAll)
        route(.get, "\(list)/:event", in: &router, subscriptions.read)
        route(.post, "\(list)/:event", in: &router, subscriptions.subscribe)
        route(.delete, "\(list)/:event", in: &router, subscriptions.unsubscribe)
    }

    /// Each route stands on its own, as in pushd, and below an app's path.
    private func route(
        _ method: HTTPMethod, _ pattern: String, bodyBytesMaximum: Int? = nil, in router: inout HTTPRouter,
        _ handler: @escaping Handler
    ) {
        for base in ["", "/apps/:app"] {
            router.on(
                method, base + pattern, spelling: .lenient, bodyBytesMaximum: bodyBytesMaximum,
                renderProblem: PushdError.render,
                admit: { request in
                    admit(request, toAppNamed: base.isEmpty ? nil : request.parameter("app"), handler)
                })
        }
    }

    private func admit(
        _ request: HTTPRequest, toAppNamed name: String?, _ handler: @escaping Handler
    ) -> HTTPAdmission {
        do {
            let admission = try gatekeeper.admit(request, toAppNamed: name, for: [.register])
            let base = name == nil ? "" : "/apps/\(admission.app.id)"
            return .admitted(account: admission.account) { request in
                do {
                    let call = PushdCall(
                        request: request, admission: admission, base: base, limits: gatekeeper.limits,
                        reading: reading)
                    return try await answer(call, handler)
                } catch {
                    return refusal(error).response
                }
            }
        } catch {
            return .refused(refusal(error).response)
        }
    }

    /// Ids that are guessed are refused after a while, right or wrong.
    private func answer(_ call: PushdCall, _ handler: Handler) async throws -> HTTPResponse {
        do {
            return try await handler(call)
        } catch PushdError.unknownSubscriber {
            gatekeeper.limits.noteUnknownDevice(in: call.app, from: call.request.peer)
            throw PushdError.unknownSubscriber
        }
    }

    private func refusal(_ error: any Error) -> PushdError {
        switch error {
        case let refusal as PushdError: return refusal
        case let refusal as Gatekeeper.AccessError: return .access(refusal)
        case let error as StoreError:
            log.note(error)
            return .store(error)
        default: return .task(TaskError(error, log: log))
        }
    }
}
