import Apps
import HTTPServer
import PushModel
import ServiceKit

/// `/v1/live`: the app's newest tasks and the state of the pipeline, and one task, as server-sent events.
struct LiveRoutes: Sendable {
    let board: LiveBoard
    let book: TaskBook

    var routes: [DialectRoute] {
        [
            DialectRoute(
                method: .get, pattern: "/v1/live", scopes: [.read], query: ["task"], handler: .appInPath(follow))
        ]
    }

    @Sendable func follow(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let task = try await task(call)
        guard
            let right = LiveRight(
                call.caller, peer: call.request.peer, in: board.apps(), at: board.time.now)
        else { throw Gatekeeper.AccessError.unauthenticated }
        let stream = try board.open(right, task: task)
        return HTTPResponse(.ok, headers: LiveRoutes.fields, body: .stream(stream))
    }

    private func task(_ call: AuthorizedRequest) async throws -> TaskID? {
        guard let text = call.request.queryValue("task") else { return nil }
        guard let id = TaskID(text) else { throw TaskError.unknownTask }
        _ = try await book.task(id, of: call.app)
        return id
    }

    /// Proxies are to pass on each event as it comes.
    private static let fields = [
        HTTPField("Content-Type", "text/event-stream"), HTTPField("Cache-Control", "no-store"),
        HTTPField("X-Accel-Buffering", "no"),
    ]
}
