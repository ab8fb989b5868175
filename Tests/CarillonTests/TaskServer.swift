import HTTPServer
import ServiceKit
import TestSupport

/// A server for the endpoints about tasks, activities, audiences, devices, users and topics with the responses of a test. Stopped
/// by `with`.
final class TaskServer: Sendable {
    struct Request: Sendable {
        let target: String
        let authorization: String?
        let idempotencyKey: String?
        let body: String
    }

    private struct State {
        var requests: [Request] = []
        var answers: [HTTPResponse] = []
    }

    private let state: Monitor<State>
    private let server: HTTPServer

    /// Each request gets the next response; the last one is repeated.
    static func with(_ answers: [HTTPResponse], body: (TaskServer) async throws -> Void) async throws {
        let server = TaskServer(answers)
        try server.server.start()
        try await withCleanup({ await server.server.stop() }) { try await body(server) }
    }

    private init(_ answers: [HTTPResponse]) {
        let state = Monitor(State(answers: answers))
        var router = HTTPRouter()
        let patterns = [
            "/v1/tasks", "/v1/tasks/:id", "/v1/tasks/:id/cancel", "/apps/:app/v1/tasks", "/v1/statistics",
            "/v1/audiences", "/v1/audiences/count", "/v1/audiences/:name", "/v1/devices", "/v1/devices/:id",
            "/v1/users/:user", "/v1/users/:user/devices", "/v1/topics/:topic", "/v1/campaigns/:campaign",
            "/v1/activities", "/v1/activities/:activity", "/v1/activities/:activity/end",
            "/v1/activities/:activity/devices",
        ]
        for pattern in patterns {
            for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
                router.on(method, pattern: pattern) { request in
                    let query = request.query.isEmpty ? "" : "?\(request.query)"
                    let seen = Request(
                        target: "\(method) \(request.path)\(query)", authorization: request.headers["authorization"],
                        idempotencyKey: request.headers["idempotency-key"],
                        body: String(decoding: request.body.bytes, as: UTF8.self))
                    return state.change { state in
                        state.requests.append(seen)
                        return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
                    }
                }
            }
        }
        self.state = state
        server = HTTPServer(
            name: "tasks", configuration: HTTPServerConfiguration(), router: router,
            log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
    }

    var url: String { "http://127.0.0.1:\(server.port ?? 0)" }
    var requests: [Request] { state.withLock { $0.requests } }
}
