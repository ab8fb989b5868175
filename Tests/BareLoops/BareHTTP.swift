import HTTPServer
import ServiceKit

/// An HTTP server that answers a task with a fixed 201, from another thread than the one that reads requests, and does
/// nothing else. Runs until standard input ends, which happens when its parent process exits.
enum BareHTTP {
    private static let id = "00000000-0000-4000-8000-000000000000"
    static let answerText =
        #"{"id":"\#(id)","app":"bench","created":"2026-01-01T00:00:00.000Z","deadline":"2026-01-02T00:00:00.000Z"}"#

    private static let answer: HTTPResponse = {
        var answer = HTTPResponse.json(answerText, status: .created)
        answer.headers.append(HTTPField("Location", "/v1/tasks/\(id)"))
        return answer
    }()

    static func run() -> String? {
        var router = HTTPRouter()
        router.on(.post, pattern: "/v1/tasks") { _ in answer }
        let server = HTTPServer(
            name: "bare", configuration: HTTPServerConfiguration(), router: router,
            log: Log(service: "BareLoops", level: .info, sink: StandardOutputSink()), metrics: Metrics())
        do {
            try server.start()
        } catch {
            return "\(error)"
        }
        while readLine() != nil {}
        return nil
    }
}
