import ServiceKit
import TestSupport
import Testing

@testable import HTTPServer

@Suite struct HTTPServerTests {
    @Test func answersFromAHandlerAndKeepsTheConnection() async throws {
        let metrics = Metrics()
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter(), metrics: metrics) { _, port in
            let texts = await blocking {
                let client = RawClient(port: port)
                return (0..<3).map { _ in
                    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    return client.receiveResponse()?.text
                }
            }
            #expect(texts == ["hello", "hello", "hello"])
        }
        #expect(metrics.counter(.httpRequestsAnswered, labels: ["server": "http", "status": "2xx"]).value == 3)
        #expect(metrics.gauge(.httpConnectionsOpen, labels: ["server": "http"]).value == 0)
    }

    @Test func twoHundredPipelinedRequestsAreAnsweredInOrder() async throws {
        var router = HTTPRouter()
        router.on(.get, pattern: "/:number") { request in .text(request.parameter("number")) }
        try await withRunning(HTTPServerConfiguration(), router: router) { _, port in
            let texts = await blocking {
                let client = RawClient(port: port)
                client.send((0..<200).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
                return (0..<200).map { _ in client.receiveResponse()?.text ?? "none" }
            }
            #expect(texts == (0..<200).map { "\($0)" })
        }
    }

    @Test func headHasTheHeaderOfGetAndNoBody() async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let (head, get) = await blocking {
                let client = RawClient(port: port)
                client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return (client.receiveResponse(isHead: true), client.receiveResponse())
            }
            #expect(head?.status == 200)
            #expect(head?.headers["content-length"] == "5")
            #expect(get?.text == "hello")
        }
    }

    @Test func aChunkedBodyArrivesWhole() async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                client.send("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n")
                return client.receiveResponse()
            }
            #expect(response?.text == "hello world")
        }
    }

    @Test func aBodyOf32MegabytesArrivesWhole() async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: \(32 << 20)\r\n\r\n")
                client.send([UInt8](repeating: 1, count: 32 << 20))
                return client.receiveResponse()
            }
            #expect(response?.text == "\(32 << 20)")
        }
    }

    @Test func aClientThatWaitsToBeInvitedIsInvited() async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let (invitation, response) = await blocking {
                let client = RawClient(port: port)
                client.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
                let invitation = client.receive(through: "\r\n\r\n")
                client.send("ok")
                return (invitation, client.receiveResponse())
            }
            #expect(invitation == "HTTP/1.1 100 Continue\r\n\r\n")
            #expect(response?.text == "ok")
        }
    }

    @Test(arguments: ["/a%2Fb%20c?q=x+y%26&empty", "http://other.example/a%2Fb%20c?q=x+y%26&empty"])
    func pathAndQueryAreDecoded(target: String) async throws {
        var router = HTTPRouter()
        router.on(.get, pattern: "/:name") { request in
            .text("\(request.parameter("name"))|\(request.queryValue("q") ?? "")|\(request.queryValue("empty") ?? "-")")
        }
        try await withRunning(HTTPServerConfiguration(), router: router) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                return client.receiveResponse()
            }
            #expect(response?.text == "a/b c|x y&|")
        }
    }

    @Test func aThirdClientWaitsUntilOneOfTwoAllowedIsDone() async throws {
        let gate = Gate()
        var router = greetingRouter()
        router.on(.get, pattern: "/slow") { _ in
            await gate.pass()
            return .text("done")
        }
        try await withRunning(HTTPServerConfiguration(connectionsMaximum: 2), router: router) { _, port in
            func ask(_ path: String) async -> RawClient {
                await blocking {
                    let client = RawClient(port: port)
                    client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                    return client
                }
            }
            let slow = [await ask("/slow"), await ask("/slow")]
            #expect(await gate.arrivals(2))
            let third = await ask("/")
            gate.open()
            for (client, text) in zip(slow + [third], ["done", "done", "hello"]) {
                #expect(await blocking { client.receiveResponse() }?.text == text)
            }
        }
    }

    @Test func anIdleConnectionMakesWayForAClientWithARequest() async throws {
        try await withRunning(HTTPServerConfiguration(connectionsMaximum: 2), router: greetingRouter()) { _, port in
            let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
            let (third, isFirstClosed) = await blocking {
                let clients = (0..<2).map { _ in RawClient(port: port) }
                for client in clients {
                    client.send(request)
                    _ = client.receiveResponse()
                }
                let third = RawClient(port: port)
                third.send(request)
                return (third.receiveResponse(), clients[0].isClosed())
            }
            #expect(third?.text == "hello")
            #expect(isFirstClosed)
        }
    }

    @Test func aStopLetsTheRequestInFlightFinish() async throws {
        let gate = Gate()
        var router = HTTPRouter()
        router.on(.get, pattern: "/slow") { _ in
            await gate.pass()
            return .text("done")
        }
        try await withRunning(HTTPServerConfiguration(), router: router) { server, port in
            let client = await blocking { RawClient(port: port) }
            let idle = await blocking { RawClient(port: port) }
            await blocking { _ = client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(await gate.arrivals(1))
            async let stopped: Void = server.stop(within: .seconds(30))
            // The idle connection is closed first, so the stop has started when the handler continues.
            #expect(await blocking { idle.isClosed() })
            gate.open()
            let response = await blocking { client.receiveResponse() }
            #expect(response?.text == "done")
            #expect(response?.headers["connection"] == "close")
            await stopped
        }
    }

    @Test func aStopCutsOffWhatIsNotDoneByItsDeadline() async throws {
        let gate = Gate()
        var router = HTTPRouter()
        router.on(.get, pattern: "/slow") { _ in
            await gate.pass()
            return .text("too late")
        }
        try await withRunning(HTTPServerConfiguration(), router: router) { server, port in
            let client = await blocking { RawClient(port: port) }
            await blocking { _ = client.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(await gate.arrivals(1))
            await server.stop(within: .milliseconds(10))
            #expect(await blocking { client.isClosed() })
            // The handler outlives its server, and its response is discarded.
            gate.open()
        }
    }

    @Test func clientsThatLeaveEarlyLeaveNothingBehind() async throws {
        let gate = Gate()
        let metrics = Metrics()
        var router = greetingRouter()
        router.on(.get, pattern: "/slow") { _ in
            await gate.pass()
            return .text("unread")
        }
        try await withRunning(HTTPServerConfiguration(), router: router, metrics: metrics) { server, port in
            await blocking {
                for part in [
                    "", "GE", "GET / HTTP/1.1\r\nHo", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf",
                ] {
                    RawClient(port: port).send(part)
                }
                RawClient(port: port).send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
            }
            #expect(await gate.arrivals(1))
            gate.open()
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client.receiveResponse()
            }
            #expect(response?.status == 200)
            await server.stop(within: .seconds(30))
        }
        #expect(metrics.gauge(.httpConnectionsOpen, labels: ["server": "http"]).value == 0)
        #expect(metrics.gauge(.httpBodyBytesBuffered, labels: ["server": "http"]).value == 0)
    }

    @Test func aTakenPortIsNamedInTheError() async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let second = HTTPServer(
                configuration: HTTPServerConfiguration(port: port), router: HTTPRouter(), log: .silent,
                metrics: Metrics())
            let error = #expect(throws: HTTPServerError.self) { try second.start() }
            #expect(error?.code == .listeningFailed)
            #expect(error?.message.contains("\(port)") == true)
        }
    }
}
