import Bus
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import Apps
@testable import EventStream
@testable import HTTPServer

/// The public port, with a hub that is fed by the test.
@Suite(.timeLimit(.minutes(3))) struct StreamRoutesTests {
    private let apps = StreamApps()

    private final class Fixture: Sendable {
        let hub: EventHub
        let metrics = Metrics()
        let sink = CollectingSink()
        private let server: HTTPServer

        init(_ snapshot: AppSnapshot, isReady: Bool = true) throws {
            let time = SystemTimeSource()
            hub = EventHub(
                limits: EventHub.Limits(
                    listenersMaximum: 10, listenersPerAppMaximum: 10, historyBytesMaximum: 1 << 20),
                metrics: metrics, time: time, random: SystemRandomSource())
            hub.restart([0: 0..<0])
            let routes = StreamRoutes(
                hub: hub, apps: { snapshot }, isReady: { isReady }, metrics: metrics, time: time)
            server = HTTPServer(
                name: "stream", configuration: HTTPServerConfiguration(), router: routes.router,
                log: Log(service: "event-stream", level: .debug, sink: sink, time: time), metrics: metrics)
            try server.start()
        }

        func client() throws -> RawClient { RawClient(port: try #require(server.port)) }

        func stop() async {
            hub.drain(spreadingOver: .seconds(1))
            await server.stop(within: .seconds(5))
        }
    }

    private static func request(
        _ path: String, method: String = "GET", accept: String? = "text/event-stream", headers: [String: String] = [:]
    ) -> String {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        if let accept { text += "Accept: \(accept)\r\n" }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return text + "\r\n"
    }

    private func run(_ snapshot: AppSnapshot, body: (Fixture) async throws -> Void) async throws {
        let fixture = try Fixture(snapshot)
        try await withCleanup({ await fixture.stop() }) { try await body(fixture) }
    }

    private func answer(_ fixture: Fixture, _ request: String) async throws -> RawClient.Response {
        let client = try fixture.client()
        let response = await blocking {
            client.send(request)
            return client.receiveResponse()
        }
        return try #require(response)
    }

    private var authorization: [String: String] {
        ["Authorization": "Bearer \(apps.keys[SampleEvents.news]?.reveal() ?? "")"]
    }

    private var later: Timestamp { SystemTimeSource().now + .seconds(600) }

    @Test func aStreamIsOpenedWithEveryRight() async throws {
        try await run(apps.snapshot(allowing: "127.0.0.1/32")) { fixture in
            let ticket = apps.ticketText(expires: later)
            let paths = [
                ("/subscribe?events=sports&ticket=\(ticket)", [:]), ("/subscribe?events=sports", authorization),
                ("/apps/news/subscribe?events=a+sports", authorization),
                ("/apps/news/subscribe?events=sports&ticket=\(ticket)", ["Origin": "https://elsewhere.example"]),
                ("/apps/shop/subscribe?events=x", [:]),
            ]
            for (path, headers) in paths {
                let client = try fixture.client()
                let head = await blocking { () -> String? in
                    client.send(Self.request(path, headers: headers))
                    return client.receive(through: "\r\n\r\n")
                }
                let text = try #require(head)
                #expect(
                    text.hasPrefix("HTTP/1.1 200 ") && text.contains("Content-Type: text/event-stream\r\n"), "\(path)")
                #expect(text.contains("Access-Control-Allow-Origin: *\r\n") == path.contains("ticket"), "\(path)")
                let body = await blocking { client.receive(through: "\r\n") }
                #expect(body != nil)
            }
            #expect(!fixture.sink.lines.contains { $0.contains(ticket.prefix(20)) })
        }
    }

    @Test func anEventArrives() async throws {
        try await run(apps.snapshot()) { fixture in
            let client = try fixture.client()
            let opened = await blocking { () -> String? in
                client.send(Self.request("/subscribe?events=sports", headers: authorization))
                return client.receive(through: "id: AA\n\n")
            }
            #expect(opened?.contains("\r\n\nretry: ") == true, "the first byte is a line feed")
            fixture.hub.read([SampleEvents.message(SampleEvents.event(7), offset: 0)])
            let event = await blocking { client.receive(through: "\n\n") }
            #expect(event?.contains(#"data: {"event":"sports","title":{},"message":{"default":"x"}"#) == true)
        }
    }

    @Test func aRequestWithoutRightsIsRefused() async throws {
        let expired = apps.ticketText(expires: SystemTimeSource().now + .seconds(-1))
        let ticket = apps.ticketText(expires: later)
        try await run(apps.snapshot()) { fixture in
            for (path, headers, status) in [
                ("/subscribe?events=sports", [:], 401),
                ("/subscribe?events=sports", ["Authorization": "Bearer \(APIKey.random().reveal())"], 401),
                ("/apps/shop/subscribe?events=sports", authorization, 404),
                ("/subscribe?events=sports&ticket=\(expired)", [:], 401),
                ("/subscribe?events=sports&ticket=\(ticket.dropLast(4))AAAA", [:], 401),
                ("/subscribe?events=sports&ticket=\(ticket)x", authorization, 401),
                ("/subscribe?events=sports&ticket=", authorization, 401),
                ("/subscribe?events=sports+news&ticket=\(ticket)", [:], 403),
                ("/apps/shop/subscribe?events=sports&ticket=\(ticket)", [:], 404),
            ] {
                let response = try await answer(fixture, Self.request(path, headers: headers))
                #expect(response.status == status, "\(path)")
                #expect(!response.text.contains(ticket.prefix(20)))
            }
            #expect(fixture.hub.listenerCount == 0)
        }
        // The key that made the ticket has lost the scope, or is gone.
        for snapshot in [apps.snapshot(scopes: [.read]), apps.snapshot(without: SampleEvents.news)] {
            try await run(snapshot) { fixture in
                let response = try await answer(fixture, Self.request("/subscribe?events=sports&ticket=\(ticket)"))
                #expect(response.status == 401)
            }
        }
        try await run(apps.snapshot(scopes: [.read])) { fixture in
            let response = try await answer(fixture, Self.request("/subscribe?events=sports", headers: authorization))
            #expect(response.status == 403)
        }
    }

    /// A page of another site that is open on an allowed machine has no right by the address.
    @Test func anAddressIsNoRightForPages() async throws {
        try await run(apps.snapshot(allowing: "127.0.0.1/32")) { fixture in
            for headers in [["Origin": "https://elsewhere.example"], ["Sec-Fetch-Site": "cross-site"]] {
                let response = try await answer(
                    fixture, Self.request("/apps/news/subscribe?events=sports", headers: headers))
                #expect(response.status == 401)
            }
        }
    }

    @Test func aMalformedRequestIsRefusedAfterTheRights() async throws {
        let long = String(repeating: "a", count: 9_000)
        let many = (0..<65).map { "t\($0)" }.joined(separator: "+")
        try await run(apps.snapshot()) { fixture in
            for (query, accept, status) in [
                ("?events=sports", nil, 406), ("?events=sports", "*/*", 406), ("?events=sports", "text/html", 406),
                ("", "text/event-stream", 400), ("?events=", "text/event-stream", 400),
                ("?events=+", "text/event-stream", 400), ("?events=%FF", "text/event-stream", 400),
                ("?events=\(many)", "text/event-stream", 400), ("?events=\(long)", "text/event-stream", 414),
                ("?events=\(long.prefix(300))", "text/event-stream", 400),
            ] as [(String, String?, Int)] {
                let request = Self.request("/subscribe\(query)", accept: accept, headers: authorization)
                let response = try await answer(fixture, request)
                #expect(response.status == status, "\(query.prefix(30))")
                let refused = try await answer(fixture, Self.request("/subscribe\(query)", accept: accept))
                #expect(refused.status == 401)
            }
        }
    }

    @Test func pushdsOtherRoutesAnswer() async throws {
        try await run(apps.snapshot()) { fixture in
            let options = try await answer(fixture, Self.request("/subscribe", method: "OPTIONS"))
            #expect(options.status == 204 && options.headers["access-control-allow-origin"] == "*")
            let policy = try await answer(fixture, Self.request("/crossdomain.xml"))
            #expect(policy.status == 200 && policy.text.contains("<cross-domain-policy>"))
            #expect(try await answer(fixture, Self.request("/status")).status == 204)
        }
    }

    @Test func aStreamIsResumedByHeaderOrQuery() async throws {
        try await run(apps.snapshot()) { fixture in
            for number in 0..<3 {
                fixture.hub.read([SampleEvents.message(SampleEvents.event(UInt64(number)), offset: Int64(number))])
            }
            let (first, second) = (StreamPosition([1]).text, StreamPosition([2]).text)
            for (query, headers, number) in [
                ("&last_event_id=\(first)", [:], 1), ("", ["Last-Event-ID": second], 2),
                ("&last_event_id=\(first)", ["Last-Event-ID": second], 2),
            ] {
                let client = try fixture.client()
                let text = await blocking { () -> String? in
                    client.send(
                        Self.request(
                            "/subscribe?events=sports\(query)", headers: headers.merging(authorization) { $1 }))
                    return client.receive(through: "data: ").flatMap { _ in client.receive(through: "\n\n") }
                }
                #expect(text?.contains(#""number":\#(number)}"#) == true, "\(query) \(headers)")
            }
        }
    }
}
