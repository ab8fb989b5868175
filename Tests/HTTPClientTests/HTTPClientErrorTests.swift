import Glibc
import HTTPClient
import ServiceKit
import TestSupport
import Testing

/// Failures, and whether each one counts as "the server may have seen the request".
@Suite struct HTTPClientErrorTests {
    @Test func aServerThatDoesNotListenIsReported() async throws {
        let outcome = try await outcome(
            of: HTTPClientRequest(.post, url: "http://127.0.0.1:\(FreePort.next())/", to: .trusted))
        #expect(outcome.notSent == .unreachable)
    }

    @Test func aNameWithoutAddress() async throws {
        let outcome = try await outcome(of: HTTPClientRequest(.get, url: "http://no-such-host.invalid/", to: .trusted))
        #expect(outcome.notSent == .unresolved)
    }

    @Test(arguments: [
        "", "no url", "http://", "http://host:99999999/", "ftp://127.0.0.1/", "file:///etc/passwd",
        "gopher://127.0.0.1/", "http://127.0.0.1/\r\nHost: x", "http://127.0.0.1\u{0}.example.com/",
    ])
    func whatIsNoURLIsNotSent(url: String) async throws {
        let outcome = try await outcome(of: HTTPClientRequest(.get, url: url, to: .trusted))
        #expect(outcome.notSent == .invalid, "\(outcome)")
    }

    @Test(arguments: [("X", "a\r\nY: b"), ("X", "a\u{0}"), ("X: a\r\nY", "b"), ("", "a"), ("X Y", "a")])
    func aHeaderCannotSmuggleAnother(name: String, value: String) async throws {
        let server = try ScriptedServer([.readHeader, .hold])
        let headers = [HTTPClientRequest.Header(name, value)]
        let outcome = try await outcome(of: HTTPClientRequest(.get, url: server.url(), to: .trusted, headers: headers))
        #expect(outcome.notSent == .invalid)
        #expect(server.connections == 0)
    }

    /// The connection ends before, within and after the header, and within the body, with an EOF and with a reset.
    @Test(
        arguments: [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 No Content\r\nX: y",
            "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
        ], [false, true])
    func anAnswerCutShortIsUnknown(answer: String, isReset: Bool) async throws {
        let server = try ScriptedServer([.readHeader, .send(answer)] + (isReset ? [.reset] : []))
        let outcome = try await outcome(of: HTTPClientRequest(.post, url: server.url(), to: .trusted, body: [1]))
        #expect(outcome.unknown == .broken, "\(outcome)")
    }

    @Test(arguments: ["hello\r\n\r\n", "\u{0}\u{1}\u{2}", "HTTP/9.9 what\r\n\r\n", "220 smtp.example.com\r\n"])
    func garbageIsNoAnswer(answer: String) async throws {
        let server = try ScriptedServer([.readHeader, .send(answer)])
        let outcome = try await outcome(of: HTTPClientRequest(.post, url: server.url(), to: .trusted))
        #expect(outcome.unknown == .broken, "\(outcome)")
    }

    @Test func aHeaderWithoutEndIsCutOff() async throws {
        let lines = String(repeating: "X: " + String(repeating: "y", count: 1_000) + "\r\n", count: 100)
        let server = try ScriptedServer([.readHeader, .send("HTTP/1.1 200 OK\r\n" + lines), .hold])
        let outcome = try await outcome(of: HTTPClientRequest(.get, url: server.url(), to: .trusted))
        #expect(outcome.unknown == .broken)
    }

    /// The status and the part of the body within the limit are returned; the rest is not read.
    @Test func aBodyIsReadUpToItsBound() async throws {
        let body = String(repeating: "x", count: 100_000)
        let server = try ScriptedServer([
            .readHeader, .send("HTTP/1.1 201 Created\r\nContent-Length: 1000000000\r\n\r\n" + body), .hold,
        ])
        let outcome = try await outcome(
            of: HTTPClientRequest(.post, url: server.url(), to: .trusted, responseBytesMaximum: 100))
        #expect(outcome.response?.status == 201)
        #expect(outcome.response?.isCut == true && outcome.response?.body.count == 100)
    }

    @Test func aSilentServerMeetsTheDeadline() async throws {
        let server = try ScriptedServer([.readHeader, .hold])
        let outcome = try await outcome(
            of: HTTPClientRequest(.post, url: server.url(), to: .trusted, deadline: .seconds(2)))
        #expect(outcome.unknown == .deadline)
        #expect(await server.hasEnded(connections: 1))
    }

    @Test func aSlowAnswerMeetsTheDeadline() async throws {
        let server = try ScriptedServer([
            .readHeader, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"), .hold,
        ])
        let outcome = try await outcome(
            of: HTTPClientRequest(.post, url: server.url(), to: .trusted, deadline: .seconds(2)))
        #expect(outcome.unknown == .deadline)
    }

    /// If a kept-alive connection ends without an answer, libcurl would resend the request on a new one.
    @Test func aRequestIsNotRepeatedBehindTheBackOfItsCaller() async throws {
        let answer = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        for body in [[], [1, 2, 3]] as [[UInt8]] {
            let server = try ScriptedServer([.readHeader, answer, .readHeader])
            try await withClient { client in
                let request = HTTPClientRequest(.post, url: server.url(), to: .trusted, body: body)
                let first = await client.send(request)
                #expect(first.response?.text == "ok")
                let second = await client.send(request)
                #expect(second.unknown == .broken)
            }
            #expect(server.requests.count == 2)
        }
    }

    @Test func aRepeatableRequestIsRepeatedOnce() async throws {
        let answer = ScriptedServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        let server = try ScriptedServer([.readHeader, answer, .readHeader])
        try await withClient { client in
            let request = HTTPClientRequest(.get, url: server.url(), to: .trusted)
            _ = await client.send(request)
            let second = await client.send(request)
            #expect(second.response?.text == "ok")
        }
        #expect(server.connections == 2)
    }

    /// Runs in its own process, since other tests read the environment that this test changes.
    @Test func proxyVariablesAreIgnored() async {
        await #expect(processExitsWith: .success) {
            let proxy = try ScriptedServer([.readHeader, .hold])
            let server = try ScriptedServer([.readHeader, .send("HTTP/1.1 204 No Content\r\n\r\n")])
            for name in ["http_proxy", "all_proxy", "ALL_PROXY"] { setenv(name, proxy.url(), 1) }
            try await withClient { client in
                let outcome = await client.send(HTTPClientRequest(.get, url: server.url(), to: .trusted))
                #expect(outcome.response?.status == 204)
            }
            #expect(proxy.connections == 0)
        }
    }

    @Test func failuresAreCountedAndLoggedWithoutTheirPath() async throws {
        let metrics = Metrics()
        let sink = CollectingSink()
        try await withClient(metrics: metrics, sink: sink) { client in
            let url = "http://user:hush@127.0.0.1:\(FreePort.next())/secret?secret"
            _ = await client.send(HTTPClientRequest(.post, url: url, to: .trusted))
        }
        let labels: Metrics.Labels = ["client": "test", "outcome": "not_sent", "reason": "unreachable"]
        #expect(metrics.counter(.httpClientRequestsFailed, labels: labels).value == 1)
        let line = try #require(sink.lines.first)
        #expect(line.contains("POST http://127.0.0.1:") && !line.contains("secret") && !line.contains("hush"))
    }

    private func outcome(of request: HTTPClientRequest) async throws -> HTTPClientOutcome {
        let answers = Monitor<[HTTPClientOutcome]>([])
        try await withClient { client in
            let outcome = await client.send(request)
            answers.change { $0.append(outcome) }
        }
        return try #require(answers.withLock { $0.first })
    }
}
