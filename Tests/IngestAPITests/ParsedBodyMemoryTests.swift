import HTTPServer
import ServiceKit
import TestSupport
import Testing

@testable import IngestAPI

/// Parsed values count against the memory for bodies, at every kind of route that parses a body.
@Suite struct ParsedBodyMemoryTests {
    struct Route: Sendable, CustomTestStringConvertible {
        let path: String
        let body: String
        /// The status of the request when there is enough memory.
        let status: Int

        var testDescription: String { path }
    }

    /// One address may use half of it: 512 KiB.
    private static let server = HTTPServerConfiguration(bodiesBytesMaximum: 1 << 20)
    /// The size of an unfinished body.
    private static let heldBytes = 450_000

    /// Bodies of less than 40 KB that take several times as much once parsed.
    private static let routes = [
        Route(path: "/v1/tasks", body: #"{"users":[\#(users(3_000))],"message":{"body":"x"}}"#, status: 201),
        Route(
            path: RichieTests.path,
            body: """
                {"app_id":"example-news","external_user_ids":[\(users(3_000))],
                 "payloads":{"android":{"data":{"body":"x"}}}}
                """, status: 201),
        Route(
            path: "/subscribers", body: #"{"proto":"apns","token":"\#(SampleTokens.apns)",\#(members(1_000))}"#,
            status: 201
        ),
    ]

    private static func users(_ count: Int) -> String {
        (0..<count).map { #""u\#($0)""# }.joined(separator: ",")
    }

    private static func members(_ count: Int) -> String {
        (0..<count).map { #""k\#($0)":1"# }.joined(separator: ",")
    }

    private static func bytesHeld(by fixture: IngestFixture) -> Int {
        fixture.metrics.gauge(.httpBodyBytesBuffered, labels: ["server": "http"]).value
    }

    /// Waits until the server holds exactly this many bytes.
    private static func holds(_ bytes: Int, fixture: IngestFixture) async throws {
        let isSo = try await waitUntil(within: .hangLimit) { bytesHeld(by: fixture) == bytes }
        #expect(isSo, "the server holds \(bytesHeld(by: fixture)) bytes of bodies, not \(bytes)")
    }

    /// Goal: a body that fits, but whose parsed values do not, is answered 503 and leaves no memory in use. Method: an
    /// unfinished body of the same address holds most of what the address may use.
    @Test(arguments: routes) func whatABodyIsParsedIntoHasToFit(_ route: Route) async throws {
        try await IngestFixture.run(server: Self.server) { fixture in
            let other = await fixture.openBody(of: "/v1/tasks", bytes: Self.heldBytes, as: .shop)
            try await Self.holds(Self.heldBytes, fixture: fixture)
            // Enough repeats to exhaust the memory if a refused request leaked any.
            for _ in 0..<20 {
                let refused = await fixture.json("POST", route.path, json: route.body, as: .owner)
                #expect(refused.status == 503, "\(refused.text)")
                #expect(refused.headers["retry-after"] == "5")
                #expect(
                    refused.detail == "The memory for request bodies is in use. Retry later.")
            }
            try await Self.holds(Self.heldBytes, fixture: fixture)
            #expect(try await fixture.listed().isEmpty)
            other.finishSending()
            try await Self.holds(0, fixture: fixture)
            let taken = await fixture.json("POST", route.path, json: route.body, as: .owner)
            #expect(taken.status == route.status, "\(taken.text)")
            try await Self.holds(0, fixture: fixture)
        }
    }

    /// The parsed body alone exceeds the limit of its address.
    @Test func whatIsTooLargeByItselfLeavesRoomForOthers() async throws {
        try await IngestFixture.run(server: Self.server) { fixture in
            let body = #"{"users":[\#(Self.users(12_000))],"message":{"body":"x"}}"#
            for _ in 0..<10 {
                #expect(await fixture.json("POST", "/v1/tasks", json: body, as: .owner).status == 503)
            }
            let small = await fixture.json(
                "POST", "/v1/tasks", json: #"{"users":["u"],"message":{"body":"x"}}"#, as: .owner)
            #expect(small.status == 201, "\(small.text)")
            try await Self.holds(0, fixture: fixture)
        }
    }
}
