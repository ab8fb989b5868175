import ServiceKit
import TestSupport
import Testing

@testable import HTTPServer

/// Requests that the server itself answers, sent as raw bytes.
@Suite struct RefusalTests {
    @Test(arguments: [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    ])
    func anAmbiguousLengthIsAnsweredAndTheConnectionClosed(rest: String) async throws {
        let metrics = Metrics()
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter(), metrics: metrics) { _, port in
            let (response, isClosed) = await blocking {
                let client = RawClient(port: port)
                client.send("POST /echo HTTP/1.1\r\nHost: a\r\n" + rest)
                return (client.receiveResponse(), client.isClosed())
            }
            #expect(response?.status == 400)
            #expect(response?.headers["content-type"] == "application/problem+json")
            #expect(response?.text.contains("\"status\":400") == true)
            #expect(isClosed)
        }
        let counter = metrics.counter(.httpRequestsRefused, labels: ["server": "http", "reason": "ambiguous_length"])
        #expect(counter.value == 1)
    }

    /// RFC 9112 allows a server to treat identical repeats as one; this one does.
    @Test func equalLengthsAreTakenAsOne() async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello")
                return client.receiveResponse()
            }
            #expect(response?.text == "hello")
        }
    }

    @Test func aDribbledHeaderIsAnswered408AtItsDeadline() async throws {
        let metrics = Metrics()
        // Long enough for a client on a busy machine to send the part before it.
        let configuration = HTTPServerConfiguration(headerDeadline: .seconds(2))
        try await withRunning(configuration, router: greetingRouter(), metrics: metrics) { _, port in
            let (response, isClosed) = await blocking {
                let client = RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
                return (client.receiveResponse(), client.isClosed())
            }
            #expect(response?.status == 408)
            #expect(isClosed)
        }
        let counter = metrics.counter(.httpRequestsRefused, labels: ["server": "http", "reason": "header_late"])
        #expect(counter.value == 1)
    }

    @Test func aClientThatSaysNothingIsCutOffAtTheDeadlineOfItsHeader() async throws {
        let configuration = HTTPServerConfiguration(headerDeadline: .milliseconds(200))
        try await withRunning(configuration, router: greetingRouter()) { _, port in
            #expect(await blocking { RawClient(port: port).isClosed() })
        }
    }

    @Test func aBodyThatNeverComesIsAnswered408AtItsDeadline() async throws {
        let configuration = HTTPServerConfiguration(bodyDeadline: .milliseconds(200))
        try await withRunning(configuration, router: greetingRouter()) { _, port in
            let (response, isClosed) = await blocking {
                let client = RawClient(port: port)
                client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe")
                return (client.receiveResponse(), client.isClosed())
            }
            #expect(response?.status == 408)
            #expect(isClosed)
        }
    }

    @Test(arguments: [17 << 10, 60 << 10])
    func aHeaderOverItsBoundIsAnswered431(bytes: Int) async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let (response, isClosed) = await blocking {
                let client = RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: a\r\nX-Long: \(String(repeating: "x", count: bytes))\r\n\r\n")
                let response = client.receiveResponse()
                return (response, client.isClosed())
            }
            #expect(response?.status == 431)
            #expect(isClosed)
        }
    }

    @Test func aHeaderOfSixteenKiBInAHundredFieldsIsTaken() async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                let field = String(repeating: "x", count: 150)
                let fields = (100..<200).map { "X-\($0): \(field)\r\n" }.joined()
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n")
                return client.receiveResponse()
            }
            #expect(response?.status == 200)
        }
    }

    @Test func aSmallerBoundOfTheHeaderIsKept() async throws {
        let configuration = HTTPServerConfiguration(headerBytesMaximum: 4 << 10)
        try await withRunning(configuration, router: greetingRouter()) { _, port in
            let statuses = await blocking {
                [3_900, 4_200].map { bytes in
                    let client = RawClient(port: port)
                    client.send("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: bytes))\r\n\r\n")
                    return client.receiveResponse()?.status
                }
            }
            #expect(statuses == [200, 431])
        }
    }

    @Test(arguments: ["/echo", "/large"])
    func aBodyOf33MegabytesIsAnswered413(path: String) async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let (response, isClosed) = await blocking {
                let client = RawClient(port: port)
                client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(33 << 20)\r\n\r\n")
                client.send([UInt8](repeating: 0, count: 33 << 20))
                return (client.receiveResponse(), client.isClosed())
            }
            #expect(response?.status == 413)
            #expect(isClosed)
        }
    }

    @Test func aChunkedBodyOverItsBoundIsAnswered413() async throws {
        let configuration = HTTPServerConfiguration(bodyBytesMaximum: 10)
        try await withRunning(configuration, router: greetingRouter()) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
                client.send("b\r\nhello world\r\n0\r\n\r\n")
                return client.receiveResponse()
            }
            #expect(response?.status == 413)
        }
    }

    /// One handler holds its body while another request needs more than is left.
    @Test func bodiesOverTheSharedBoundAreAnswered503() async throws {
        let gate = Gate()
        var router = HTTPRouter()
        router.on(.post, pattern: "/hold") { request in
            await gate.pass()
            return .text("\(request.body.bytes.count)")
        }
        let configuration = HTTPServerConfiguration(bodiesBytesMaximum: 3_000)
        try await withRunning(configuration, router: router) { _, port in
            let request = "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"
            let body = [UInt8](repeating: 0, count: 1_000)
            let first = await blocking { RawClient(port: port) }
            await blocking {
                first.send(request)
                first.send(body)
            }
            #expect(await gate.arrivals(1))
            let refused = await blocking {
                let second = RawClient(port: port)
                second.send(request)
                second.send(body)
                return second.receiveResponse()
            }
            #expect(refused?.status == 503)
            #expect(refused?.headers["retry-after"] == "1")
            gate.open()
            let held = await blocking { first.receiveResponse() }
            #expect(held?.text == "1000")
            // The first body was released, so its space is available again.
            let third = await blocking {
                first.send(request)
                first.send(body)
                return first.receiveResponse()
            }
            #expect(third?.status == 200)
        }
    }

    /// Goal: a client that waits for each answer never finds its own last body in the way. Method: the bound has room
    /// for one body, and each request follows its predecessor's answer at once.
    @Test func aBodyIsReleasedBeforeItsAnswerIsSent() async throws {
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"
        let request = head + String(repeating: "x", count: 1_000)
        let configuration = HTTPServerConfiguration(bodiesBytesMaximum: 3_000)
        try await withRunning(configuration, router: greetingRouter()) { _, port in
            let statuses = await blocking {
                let client = RawClient(port: port)
                return (0..<2_000).map { _ in
                    client.send(request)
                    return client.receiveResponse()?.status
                }
            }
            #expect(statuses.allSatisfy { $0 == 200 }, "\(statuses.count { $0 == 503 }) refused")
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        ("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length : 5\r\n\r\nhello", 400),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\nContent-Length: 1\r\n\r\nx", 417),
        ("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        ("GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n", 404),
        ("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", 405),
    ])
    func isAnsweredAsAProblem(request: String, status: Int) async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let response = await blocking {
                let client = RawClient(port: port)
                client.send(request)
                return client.receiveResponse()
            }
            #expect(response?.status == status)
            #expect(response?.headers["content-type"] == "application/problem+json")
            if status == 405 { #expect(response?.headers["allow"] == "GET, HEAD, OPTIONS") }
        }
    }

    /// However the server treats them, it closes those connections and serves the next client.
    @Test func garbageAffectsNoOtherConnection() async throws {
        try await withRunning(HTTPServerConfiguration(headerDeadline: .seconds(2)), router: greetingRouter()) {
            _, port in
            let random = SeededRandomSource(seed: 11)
            let response = await blocking {
                for _ in 0..<50 {
                    let client = RawClient(port: port)
                    client.send((0..<2_000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
                    client.finishSending()
                    _ = client.receiveAll()
                }
                let client = RawClient(port: port)
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                return client.receiveResponse()
            }
            #expect(response?.status == 200)
        }
    }
}
