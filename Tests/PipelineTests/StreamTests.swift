import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing

/// Goal: listeners see each push to all subscribers of a topic once, and no other, although resolvers are killed.
/// Method: the whole pipeline, and a listener beside it.
@Suite(.timeLimit(.minutes(10))) struct StreamTests {
    private static func task(_ number: Int, audience: String = #"{"topic":"news"}"#, more: String = "") -> String {
        #"{"audience":\#(audience),"message":{"body":"x","data":{"number":\#(number)}}\#(more)}"#
    }

    @Test(arguments: Harness.BusKind.allCases) func listenersSeeEveryPush(kind: Harness.BusKind) async throws {
        let harness = try await Harness(kind)
        let stream = try await harness.join("event-stream")
        _ = try await harness.ingest.register([TestDevice(1, kind: .apns, user: "ada")])
        let client = RawClient(port: stream.port)
        client.send("GET /apps/news/subscribe?events=news HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n")
        let head = await blocking { client.receive(through: "\r\n\r\n") }
        try #require(head?.hasPrefix("HTTP/1.1 200") == true)

        let later = (SystemTimeSource().now + .seconds(3)).description
        let scheduled = try await harness.ingest.post(Self.task(900, more: #","send_at":"\#(later)""#))
        let cancelled = try await harness.ingest.post(Self.task(901, more: #","send_at":"\#(later)""#))
        let response = try await harness.ingest.send("POST", "/apps/news/v1/tasks/\(cancelled)/cancel")
        #expect(response.status == 202, "\(response.text)")
        _ = try await harness.ingest.post(Self.task(902, audience: #"{"all_of":[{"topic":"news"},{"user":true}]}"#))
        _ = try await harness.ingest.post(#"{"users":["ada"],"message":{"body":"x","data":{"number":903}}}"#)
        for number in 0..<40 {
            _ = try await harness.ingest.post(Self.task(number))
            if number % 15 == 7 { try await harness.killAndRestart("targeting-resolver") }
        }
        var read = ReadStream()
        while read.numbers.count < 41 {
            let bytes = await blocking { client.receive() }
            read.read(try #require(bytes, "\(read.numbers)"))
        }
        #expect(read.numbers.sorted() == Array(0..<40) + [900], "\(scheduled)")
        try await harness.close()
    }
}
