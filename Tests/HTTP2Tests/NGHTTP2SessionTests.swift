import ServiceKit
import TLSSocket
import Testing

@testable import HTTP2

/// Two sessions that exchange bytes in memory, without sockets.
@Suite struct NGHTTP2SessionTests {
    private let client = ClientSession(HTTP2Configuration(), authority: "bell.example")
    private let server = ServerSession(
        HTTP2ServerConfiguration(tls: TLSServerConfiguration(certificateFile: "", privateKeyFile: "")),
        settings: [.streamsMaximum(1_000)])

    private func pending(_ request: HTTP2Request) -> PendingRequest {
        PendingRequest(request, index: 0, accepted: .zero, limit: .seconds(1), completion: { _, _ in })
    }

    private func outgoing(_ session: NGHTTP2Session) -> [UInt8] {
        var bytes: [UInt8] = []
        while let frame = session.nextFrame() { bytes += frame }
        return bytes
    }

    private func deliver(_ bytes: [UInt8], to session: NGHTTP2Session) -> Bool {
        bytes.withUnsafeBytes { session.receive($0) }
    }

    private func greet() {
        #expect(deliver(outgoing(client), to: server))
        #expect(deliver(outgoing(server), to: client))
    }

    /// The encoded size of this many requests, sent one after another.
    private func size(of count: Int, _ indexing: HTTP2Headers.Indexing) -> Int {
        let topic = String(repeating: "t", count: 200)
        var total = 0
        for number in 0..<count {
            var request = HTTP2Request(.post, "/3/device", sharedHeaders: ["apns-topic": topic])
            request.headers.append("apns-id", "\(number)" + String(repeating: "i", count: 60), indexing: indexing)
            #expect(client.send(pending(request)))
            let bytes = outgoing(client)
            #expect(deliver(bytes, to: server))
            total += bytes.count
        }
        return total
    }

    @Test func nothingIsSentBeforeThePeersSettings() {
        #expect(client.room == 0 && !client.isGreeted)
        greet()
        #expect(client.room == 1_000 && client.isGreeted)
    }

    /// Differing values would evict the shared topic from the table again and again.
    @Test func differingValuesDoNotThrashTheTable() {
        greet()
        let first = size(of: 1, .nameOnly)
        let rest = size(of: 300, .nameOnly)
        #expect(first > 200 && rest < 300 * 90)
        #expect(size(of: 300, .table) > rest + 500)
    }

    /// A bearer token is sent in full each time: the library keeps it out of the table, as Apple requires.
    @Test func authorizationIsNeverPutIntoTheTable() {
        greet()
        for _ in 0..<3 {
            let token = "bearer " + String(repeating: "~", count: 100)
            let request = HTTP2Request(.post, "/3/device", sharedHeaders: ["authorization": token])
            #expect(client.send(pending(request)))
            #expect(outgoing(client).count > 100)
        }
    }

    @Test func whatABrokenConnectionHadNotWrittenCanGoElsewhere() {
        greet()
        let requests = (0..<3).map { pending(HTTP2Request(.get, "/\($0)")) }
        var gathered = 0
        for request in requests.dropLast() {
            #expect(client.send(request))
            client.bytesTaken = gathered
            gathered += outgoing(client).count
        }
        #expect(client.send(requests[2]))
        // The socket took nothing after the first byte of the second request.
        let second = requests[1].departure ?? 0
        client.breakUp(bytesWritten: second + 1, HTTP2Error(.broken, message: "gone"))
        var settled: [(request: PendingRequest, outcome: HTTP2Outcome)] = []
        let unprocessed = client.takeEvents(into: &settled)
        #expect(settled.map(\.request.request.path) == ["/0", "/1"])
        #expect(settled.allSatisfy { $0.outcome == .unknown(HTTP2Error(.broken, message: "gone")) })
        #expect(unprocessed.map(\.request.path) == ["/2"])
    }

    /// Random bytes, and responses with a few bytes changed: whatever they mean, they cause an error at most.
    @Test func hostileBytesEndInAnErrorAtMost() {
        let random = SeededRandomSource(seed: 5)
        for round in 0..<300 {
            let suite = NGHTTP2SessionTests()
            suite.greet()
            let request = suite.pending(HTTP2Request(.post, "/", body: [1, 2, 3]))
            #expect(suite.client.send(request))
            #expect(suite.deliver(suite.outgoing(suite.client), to: suite.server))
            for stream in suite.server.takeComplete() {
                suite.server.submit(
                    status: "200", headers: ["apns-id": "1"], body: [UInt8](repeating: 1, count: 100), on: stream)
            }
            var bytes = suite.outgoing(suite.server)
            for _ in 0..<(round % 7) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if round % 5 == 4 { bytes = (0..<200).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
            let isUnderstood = suite.deliver(bytes, to: suite.client)
            _ = suite.outgoing(suite.client)
            suite.client.breakUp(bytesWritten: .max, HTTP2Error(.broken, message: "over"))
            var settled: [(request: PendingRequest, outcome: HTTP2Outcome)] = []
            let unprocessed = suite.client.takeEvents(into: &settled)
            #expect(settled.count + unprocessed.count == 1)
            if round == 0 { #expect(isUnderstood && settled.first?.outcome.status == 200) }
        }
    }
}
