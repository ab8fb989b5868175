import HTTPClient
import HTTPServer
import ServiceKit
import TestSupport
import Testing

/// Successful requests, against real servers.
@Suite struct HTTPClientTests {
    @Test func getsAndPosts() async throws {
        try await withServer(router) { base in
            try await withClient { client in
                let greeting = await client.send(HTTPClientRequest(.get, url: base + "/", to: .trusted))
                #expect(greeting.response?.status == 200 && greeting.response?.text == "hello")
                for body in ["", "ding dong", String(repeating: "x", count: 300_000)] {
                    let echo = await client.send(
                        HTTPClientRequest(.post, url: base + "/echo", to: .trusted, body: Array(body.utf8)))
                    #expect(echo.response?.text == body)
                }
            }
        }
    }

    /// A caller's headers arrive unchanged, and libcurl adds none about the body.
    @Test func sendsTheHeadersOfItsCallerAlone() async throws {
        let server = try ScriptedServer([.readHeader, .send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")])
        try await withClient { client in
            let headers = [
                HTTPClientRequest.Header("TTL", "60"), .init("X-Empty", ""), .init("Authorization", "Bearer t"),
            ]
            let outcome = await client.send(
                HTTPClientRequest(.post, url: server.url("/push?x=1"), to: .trusted, headers: headers, body: [1, 2]))
            #expect(outcome.response?.status == 200)
        }
        let lines = server.requests.first?.split(separator: "\r\n").map(String.init) ?? []
        #expect(lines.first == "POST /push?x=1 HTTP/1.1")
        #expect(
            Set(lines.dropFirst()) == [
                "Host: 127.0.0.1:\(server.port)", "User-Agent: Carillon/\(CarillonVersion.current)", "Accept: */*",
                "TTL: 60", "X-Empty:", "Authorization: Bearer t", "Content-Length: 2",
            ])
    }

    @Test(arguments: [HTTPClientRequest.Method.put, .patch])
    func replacesAndChanges(_ method: HTTPClientRequest.Method) async throws {
        let server = try ScriptedServer([.readHeader, .send("HTTP/1.1 204 No Content\r\n\r\n")])
        try await withClient { client in
            let outcome = await client.send(
                HTTPClientRequest(method, url: server.url("/activities/7"), to: .trusted, body: [1, 2]))
            #expect(outcome.response?.status == 204)
        }
        let lines = server.requests.first?.split(separator: "\r\n").map(String.init) ?? []
        #expect(lines.first == "\(method.rawValue) /activities/7 HTTP/1.1")
        #expect(lines.contains("Content-Length: 2"))
    }

    /// A path reaches its server as it was given: a segment may be the name of a user.
    @Test func deletesAtThePathAsGiven() async throws {
        let server = try ScriptedServer([.readHeader, .send("HTTP/1.1 204 No Content\r\n\r\n")])
        try await withClient { client in
            let outcome = await client.send(HTTPClientRequest(.delete, url: server.url("/users/.."), to: .trusted))
            #expect(outcome.response?.status == 204)
        }
        let lines = server.requests.first?.split(separator: "\r\n").map(String.init) ?? []
        #expect(lines.first == "DELETE /users/.. HTTP/1.1")
        #expect(!lines.contains { $0.hasPrefix("Content-") })
    }

    @Test func anAnswerHasItsStatusAndHeaders() async throws {
        let server = try ScriptedServer([
            .readHeader, .send("HTTP/1.1 429 Slow Down\r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nno"), .hold,
        ])
        try await withClient { client in
            let outcome = await client.send(HTTPClientRequest(.post, url: server.url(), to: .trusted))
            #expect(outcome.response?.status == 429)
            #expect(outcome.response?.header("retry-after") == "7")
            #expect(outcome.response?.text == "no")
        }
    }

    @Test func aRedirectIsAnAnswerAndIsNotFollowed() async throws {
        let target = try ScriptedServer([.readHeader, .hold])
        let server = try ScriptedServer([
            .readHeader, .send("HTTP/1.1 307 Go\r\nLocation: \(target.url())\r\nContent-Length: 0\r\n\r\n"), .hold,
        ])
        try await withClient { client in
            let outcome = await client.send(HTTPClientRequest(.post, url: server.url(), to: .trusted))
            #expect(outcome.response?.status == 307)
        }
        #expect(target.connections == 0)
    }

    @Test func aConnectionIsKeptForTheNextRequest() async throws {
        let answer = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let server = try ScriptedServer([.readHeader, answer, .readHeader, answer, .hold])
        try await withClient { client in
            for _ in 0..<2 {
                let outcome = await client.send(HTTPClientRequest(.post, url: server.url(), to: .trusted))
                #expect(outcome.response?.text == "ok")
            }
        }
        #expect(server.connections == 1)
    }

    @Test func twoHundredAtOnceAreAllAnswered() async throws {
        var configuration = HTTPClientConfiguration.forTests
        configuration.concurrentMaximum = 50
        let metrics = Metrics()
        try await withServer(router) { base in
            try await withClient(configuration, metrics: metrics) { client in
                let texts = await withTaskGroup(of: String?.self) { tasks in
                    for number in 0..<200 {
                        tasks.addTask {
                            let request = HTTPClientRequest(
                                .post, url: base + "/echo", to: .trusted, body: Array("\(number)".utf8))
                            return await client.send(request).response?.text
                        }
                    }
                    return await tasks.reduce(into: Set<String>()) { $0.insert($1 ?? "nothing") }
                }
                #expect(texts == Set((0..<200).map { "\($0)" }))
            }
        }
        let answered = metrics.counter(.httpClientRequestsAnswered, labels: ["client": "test", "status": "2xx"])
        #expect(answered.value == 200)
        #expect(metrics.gauge(.httpClientRequestsOpen, labels: ["client": "test"]).value == 0)
    }

    private var router: HTTPRouter {
        var router = HTTPRouter()
        router.on(.get, pattern: "/") { _ in .text("hello") }
        router.on(.post, pattern: "/echo") { request in HTTPResponse(.ok, body: .bytes(request.body.bytes)) }
        return router
    }
}
