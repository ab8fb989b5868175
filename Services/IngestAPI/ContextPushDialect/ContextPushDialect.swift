import Apps
import HTTPServer
import PushModel

/// ContextPush's API, in which `bundle_id` selects the app: to schedule a message for one user within a time, and to
/// cancel it. `docs/contextpush.md` describes it.
struct ContextPushDialect: Dialect {
    let scheduling: ContextPushScheduling
    let cancelling: ContextPushCancelling
    let log: RefusalLog

    var routes: [DialectRoute] {
        [
            route("schedule_message_for_user", bodyBytesMaximum: 256 << 10, handler: scheduling.schedule),
            route("cancel_message_for_user", bodyBytesMaximum: 16 << 10, handler: cancelling.cancel),
        ]
    }

    func refusal(_ error: any Error) -> HTTPResponse {
        (error as? ContextPushError ?? .task(TaskError(error, log: log))).response
    }

    func refusal(of problem: Problem) -> HTTPResponse {
        ContextPushError.response(to: problem)
    }

    private func route(
        _ name: String, bodyBytesMaximum: Int,
        handler: @escaping @Sendable (HTTPRequest, UnnamedCaller) async throws -> HTTPResponse
    ) -> DialectRoute {
        DialectRoute(
            method: .post, pattern: "/v1/campaigns/\(name)", scopes: [.publish], query: [],
            bodyBytesMaximum: bodyBytesMaximum, handler: .appInBody(.contextpush, handler))
    }
}
