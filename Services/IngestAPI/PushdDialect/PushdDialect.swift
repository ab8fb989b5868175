import Apps
import HTTPServer
import ServiceKit
import Store

/// pushd's HTTP API, as its clients and publishers use it. The differences between its documentation and the real pushd
/// are listed in `docs/decisions/009-what-pushd-clients-meet.md` and `docs/pushd.md`.
struct PushdDialect: Dialect {
    typealias Handler = @Sendable (PushdCall) async throws -> HTTPResponse

    let registry: any Registry
    let topics: any TopicStatistics
    let devices: DeviceRegistration
    let classes: DeviceClasses
    let submission: TaskSubmission
    let events: EventRoutes
    let limits: RequestLimits
    let reading: BodyReading
    let log: RefusalLog

    let spelling = HTTPRouter.Spelling.lenient

    var routes: [DialectRoute] {
        let subscribers = SubscriberRoutes(
            registry: registry, devices: devices, classes: classes, submission: submission)
        let subscriptions = SubscriptionRoutes(registry: registry)
        let statistics = EventStatisticsRoutes(registry: registry, topics: topics)
        let list = "/subscriber/:id/subscriptions"
        return [
            route(.post, pattern: "/subscribers", handler: subscribers.register),
            route(.get, pattern: "/subscriber/:id", handler: subscribers.read),
            route(.post, pattern: "/subscriber/:id", handler: subscribers.update),
            route(.delete, pattern: "/subscriber/:id", handler: subscribers.remove),
            route(.post, pattern: "/subscriber/:id/test", handler: subscribers.test),

            route(.get, pattern: list, handler: subscriptions.list),
            route(
                .post, pattern: list, bodyBytesMaximum: DeviceFields.bodyBytesMaximum, handler: subscriptions.setAll),
            route(.delete, pattern: list, handler: subscriptions.removeAll),
            route(.get, pattern: "\(list)/:event", handler: subscriptions.read),
            route(.post, pattern: "\(list)/:event", handler: subscriptions.subscribe),
            route(.delete, pattern: "\(list)/:event", handler: subscriptions.unsubscribe),

            route(
                .post, pattern: "/event/:event", scopes: [.publish, .broadcast],
                bodyBytesMaximum: EventRoutes.bodyBytesMaximum, handler: events.publish),
            route(
                .get, pattern: "/event/:event", scopes: [.register, .publish, .read], handler: statistics.read),
            route(.delete, pattern: "/event/:event", scopes: [.publish], handler: statistics.purge),
        ]
    }

    private func route(
        _ method: HTTPMethod, pattern: String, scopes: [Scope] = [.register], bodyBytesMaximum: Int? = nil,
        handler: @escaping Handler
    ) -> DialectRoute {
        DialectRoute(
            method: method, pattern: pattern, scopes: scopes, bodyBytesMaximum: bodyBytesMaximum,
            handler: .appInPath { try await answer(PushdCall($0, limits: limits, reading: reading), handler: handler) })
    }

    /// Counts unknown subscribers, so that an address that guesses ids is refused after some time.
    private func answer(_ call: PushdCall, handler: Handler) async throws -> HTTPResponse {
        do {
            return try await handler(call)
        } catch PushdError.unknownSubscriber {
            limits.noteUnknownDevice(in: call.app, from: call.request.peer)
            throw PushdError.unknownSubscriber
        }
    }

    func refusal(_ error: any Error) -> HTTPResponse {
        pushdError(error).response
    }

    func refusal(of problem: Problem) -> HTTPResponse {
        PushdError.response(to: problem)
    }

    private func pushdError(_ error: any Error) -> PushdError {
        switch error {
        case let error as PushdError: return error
        case let error as Gatekeeper.AccessError: return .access(error)
        case let refusal as BodyError: return .body(refusal)
        case let error as StoreError:
            log.note(error)
            return .store(error)
        default: return .task(TaskError(error, log: log))
        }
    }
}
