import HTTPServer
import PushModel
import Store

/// `/event/:event`: an event as its subscribers' sum.
struct EventStatisticsRoutes: Sendable {
    let registry: any Registry

    /// Ends all subscriptions to the event.
    @Sendable func purge(_ call: PushdCall) async throws -> HTTPResponse {
        guard try await registry.purge(call.event(), in: call.app) > 0 else { throw PushdError.unknownEvent }
        return HTTPResponse(.noContent)
    }
}
