import HTTPServer
import ServiceKit
import TestSupport

/// An app's endpoint on loopback: sends the given answers in order, and records the requests.
final class Endpoint: Sendable {
    struct Post: Sendable {
        let headers: HTTPHeaders
        let body: [UInt8]
    }

    private struct State {
        var posts: [Post] = []
        var answers: [HTTPResponse]
    }

    private let server: HTTPServer
    private let state: Monitor<State>
    let url: String

    /// The last answer is repeated; without an answer the endpoint never responds.
    init(_ answers: [HTTPResponse]) throws {
        let state = Monitor(State(answers: answers))
        self.state = state
        var router = HTTPRouter()
        router.on(.post, pattern: "/report") { request in
            let answer = state.change { state -> HTTPResponse? in
                state.posts.append(Post(headers: request.headers, body: request.body.bytes))
                return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first
            }
            if let answer { return answer }
            await OneTimeEvent().wait()
            return HTTPResponse(.ok)
        }
        router.on(.get, pattern: "/elsewhere") { _ in
            state.change { $0.posts.append(Post(headers: HTTPHeaders(), body: Array("followed".utf8))) }
            return HTTPResponse(.ok)
        }
        router.on(.post, pattern: "/elsewhere") { _ in
            state.change { $0.posts.append(Post(headers: HTTPHeaders(), body: Array("followed".utf8))) }
            return HTTPResponse(.ok)
        }
        server = HTTPServer(
            configuration: HTTPServerConfiguration(), router: router,
            log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
        try server.start()
        guard let port = server.port else { preconditionFailure("a started server has a port") }
        url = "http://127.0.0.1:\(port)/report"
    }

    var posts: [Post] { state.withLock { $0.posts } }

    func hasPosts(_ count: Int) async -> Bool {
        await blocking { [state] in
            state.wait(timeout: .hangLimit) { $0.posts.count >= count ? true : nil } ?? false
        }
    }

    func stop() async {
        await server.stop(within: .zero)
    }
}
