import ServiceKit
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct AdmissionTests {
    /// Admits callers with a name, each with its own share and 10 bytes of body, or 100 for `large`.
    private func router() -> HTTPRouter {
        var router = greetingRouter()
        router.on(
            .post, pattern: "/guarded", bodyBytesMaximum: 10,
            admit: { request in
                guard let name = request.headers["X-Name"] else { return .refused(HTTPResponse(.unauthorized)) }
                return .admitted(account: name, bodyBytesMaximum: name == "large" ? 100 : nil) { request in
                    .text("\(name): \(request.body.bytes.count)")
                }
            })
        return router
    }

    /// The body is never sent: the response comes before it.
    @Test func aRequestIsRefusedBeforeItsBodyComes() async throws {
        let metrics = Metrics()
        try await withRunning(HTTPServerConfiguration(), router: router(), metrics: metrics) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("POST /guarded HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
                return client.receiveResponse()
            }
            #expect(response?.status == 401)
            #expect(metrics.gauge(.httpBodyBytesBuffered, labels: ["server": "http"]).value == 0)
        }
    }

    @Test func aShortBodyOfARefusedRequestIsReadOver() async throws {
        try await withRunning(HTTPServerConfiguration(), router: router()) { _, port in
            let statuses = await blocking {
                let client = RawClient(port: port)
                client.send("POST /guarded HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
                let refused = client.receiveResponse()?.status
                client.send("helloGET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return [refused, client.receiveResponse()?.status]
            }
            #expect(statuses == [401, 200])
        }
    }

    @Test(arguments: [("small", 11, 413), ("small", 10, 200), ("large", 100, 200), ("large", 101, 413)])
    func theBoundOfTheBodyIsTheAdmissions(name: String, count: Int, status: Int) async throws {
        try await withRunning(HTTPServerConfiguration(), router: router()) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("POST /guarded HTTP/1.1\r\nHost: a\r\nX-Name: \(name)\r\nContent-Length: \(count)\r\n\r\n")
                client.send([UInt8](repeating: 0, count: count))
                return client.receiveResponse()
            }
            #expect(response?.status == status)
        }
    }

    /// Goal: fields of the admission are in every answer. Method: answers of the handler, and of the server to a body
    /// that is too large, is announced so, or does not come.
    @Test func fieldsOfTheAdmissionAreInEveryAnswer() async throws {
        var router = greetingRouter()
        router.on(
            .post, pattern: "/counted", bodyBytesMaximum: 10,
            admit: { _ in
                .admitted(headers: [HTTPField("X-Left", "7")]) { _ in
                    HTTPResponse(.ok, headers: [HTTPField("X-Own", "1")])
                }
            })
        var configuration = HTTPServerConfiguration()
        configuration.bodyDeadline = .milliseconds(200)
        try await withRunning(configuration, router: router) { _, port in
            func send(_ rest: String) async -> RawClient.Response? {
                await blocking {
                    let client = RawClient(port: port)
                    client.send("POST /counted HTTP/1.1\r\nHost: a\r\n\(rest)")
                    return client.receiveResponse()
                }
            }
            let handled = await send("Content-Length: 0\r\n\r\n")
            #expect(handled?.status == 200 && handled?.headers["x-own"] == "1")
            let answers = [
                (200, handled), (413, await send("Content-Length: 11\r\n\r\n")),
                (413, await send("Transfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n")),
                (408, await send("Content-Length: 5\r\n\r\n")),
            ]
            for (status, answer) in answers {
                #expect(answer?.status == status)
                #expect(answer?.headers["x-left"] == "7", "\(status)")
            }
        }
    }

    /// A blocking handler occupies every thread of the concurrency runtime.
    @Test func anAnswerAtHandIsGivenWhileHandlersKeepEveryThreadBusy() async throws {
        let gate = Monitor((arrived: 0, isOpen: false))
        var router = HTTPRouter()
        router.answerImmediately(.get, pattern: "/healthz") { _ in .text("ok") }
        router.on(.get, pattern: "/busy") { _ in
            gate.change { $0.arrived += 1 }
            _ = gate.wait(timeout: .hangLimit) { $0.isOpen ? true : nil }
            return .text("done")
        }
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(), router: router, log: .silent, metrics: Metrics())
        try server.start()
        let port = try #require(server.port)
        // The rest runs on a native thread: none is left for tasks.
        let answer = await onNativeThread("probe") { () -> RawClient.Response? in
            let busy = (0..<64).map { _ in RawClient(port: port) }
            for client in busy { client.send("GET /busy HTTP/1.1\r\nHost: a\r\n\r\n") }
            _ = gate.wait(timeout: .hangLimit) { $0.arrived >= 1 ? true : nil }
            let client = RawClient(port: port)
            client.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = client.receiveResponse()
            gate.change { $0.isOpen = true }
            for client in busy { _ = client.receiveResponse() }
            return answer
        }
        await server.stop(within: .zero)
        #expect(answer?.text == "ok")
    }

    @Test func aFieldOfAnAnswerCannotBeginALineOfItsOwn() {
        let head = AnswerHead(
            status: .ok,
            fields: [
                HTTPField("X-Good", "a"), HTTPField("X-Bad", "a\r\nX-Evil: b"), HTTPField("X Bad", "a"),
                HTTPField("content-length", "9"),
            ], framing: .length(0), closes: false, tellsKeepAlive: false)
        let text = String(decoding: head.bytes(date: "now", log: .silent), as: UTF8.self)
        #expect(text == "HTTP/1.1 200 OK\r\nDate: now\r\nX-Good: a\r\nContent-Length: 0\r\n\r\n")
    }
}
