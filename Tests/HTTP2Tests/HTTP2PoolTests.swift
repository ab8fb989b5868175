import HTTP2
import ServiceKit
import TestSupport
import Testing

@Suite struct HTTP2PoolTests {
    @Test func aRequestArrivesWholeAndSoDoesItsAnswer() async throws {
        let taken = Monitor<HTTP2ServerRequest?>(nil)
        let loopback = try await LoopbackServer(handler: { request in
            taken.change { $0 = request }
            return .answer(HTTP2Answer(201, headers: ["apns-id": "17"], body: Array("done".utf8)))
        })
        let pool = loopback.pool()
        var request = HTTP2Request(.post, "/3/device/ab", sharedHeaders: ["authorization": "bearer x"])
        request.headers.append("apns-id", "17", .nameOnly)
        request.body = Array("ring".utf8)
        let outcome = await pool.send(request)
        let seen = try #require(taken.withLock { $0 })
        #expect(seen.method == "POST" && seen.path == "/3/device/ab" && seen.body == Array("ring".utf8))
        #expect(seen.headers.fields.map(\.name) == ["authorization", "apns-id"])
        #expect(seen.headers["authorization"] == "bearer x" && seen.headers["apns-id"] == "17")
        let response = try #require(outcome.response)
        #expect(response.status == 201 && response.headers["apns-id"] == "17")
        #expect(response.body == Array("done".utf8) && !response.isTruncated)
        await pool.close()
        await loopback.server.close()
    }

    @Test func thousandsGoOutTogether() async throws {
        let loopback = try await LoopbackServer()
        let pool = loopback.pool { $0.connections = 3 }
        let outcomes = await pool.send(requests(4_000))
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(loopback.seen.withLock { $0.count } == 4_000)
        await pool.close()
        await loopback.server.close()
    }
}
