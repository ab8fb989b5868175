import HTTP2
import ServiceKit
import TestSupport
import Testing

/// Faults of providers: every request still gets exactly one outcome, and the correct one.
@Suite struct PeerFaultTests {
    /// The server's library refuses requests beyond its SETTINGS, so a refusal would show that the client violates
    /// them.
    @Test func settingsAreObeyedWhileTheyChange() async throws {
        let loopback = try await LoopbackServer(adjust: { $0.streamsMaximum = 7 }, handler: { _ in .stall })
        let metrics = Metrics()
        let pool = loopback.pool(metrics: metrics) { $0.connections = 1 }
        async let outcomes = pool.send(requests(30))
        #expect(await loopback.hasSeen(7))
        loopback.server.changeSettings(streamsMaximum: 20)
        #expect(await loopback.hasSeen(20))
        loopback.server.dropConnections()
        // The ten requests not yet sent use the next connection; those already sent do not.
        #expect(await loopback.hasSeen(30))
        loopback.server.dropConnections()
        #expect(await outcomes.allSatisfy { $0.isUnknown && $0.code == .broken })
        #expect(loopback.seen.withLock { $0.count == 30 && $0.values.allSatisfy { $0 == 1 } })
        #expect(metrics.exposition().contains("resent_requests_total{host=\"\(loopback.endpoint)\"} 0"))
        await loopback.end(pool)
    }

    @Test func goodbyesUnderLoadLoseNothingAndRepeatNothing() async throws {
        let loopback = try await LoopbackServer()
        loopback.server.sayGoodbye(afterRequests: 1_000)
        let metrics = Metrics()
        let pool = loopback.pool(metrics: metrics) { $0.requestsMaximum = 2_000 }
        var answered = 0
        for batch in 0..<25 {
            let sent = (0..<2_000).map { HTTP2Request(.post, "/\(batch)/\($0)", body: [1]) }
            answered += await pool.send(sent).filter { $0.status == 200 }.count
        }
        #expect(answered == 50_000)
        #expect(loopback.seen.withLock { $0.count == 50_000 && $0.values.allSatisfy { $0 == 1 } })
        await loopback.end(pool)
    }

    @Test func aRefusedStreamIsSentAgain() async throws {
        let refused = Monitor<Set<String>>([])
        let loopback = try await LoopbackServer(handler: { request in
            refused.change { $0.insert(request.path).inserted } ? .refuse : .answer(HTTP2Answer())
        })
        let pool = loopback.pool()
        let outcomes = await pool.send(requests(1_000))
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(loopback.seen.withLock { $0.count == 1_000 && $0.values.allSatisfy { $0 == 1 } })
        await loopback.end(pool)
    }

    @Test func aStreamThatIsAlwaysRefusedIsGivenBackUnsent() async throws {
        let tries = Monitor(0)
        let loopback = try await LoopbackServer(handler: { _ in
            tries.change { $0 += 1 }
            return .refuse
        })
        let pool = loopback.pool { $0.resendsMaximum = 3 }
        let outcome = await pool.send(requests(1)[0])
        #expect(outcome.isNotSent && outcome.code == .refused)
        #expect(tries.withLock { $0 } == 4)
        await loopback.end(pool)
    }

    @Test func aFailedStreamIsUnknownAndTheOthersGoOn() async throws {
        let loopback = try await LoopbackServer(handler: { $0.path.hasSuffix("7") ? .fail : .answer(HTTP2Answer()) })
        let pool = loopback.pool()
        for (number, outcome) in await pool.send(requests(100)).enumerated() {
            if number % 10 == 7 {
                #expect(outcome.isUnknown && outcome.code == .reset)
            } else {
                #expect(outcome.status == 200)
            }
        }
        await loopback.end(pool)
    }

    /// The handler drops the connection at random, with all requests in flight.
    @Test func cutConnectionsLeaveOnlyWhatWasSentWithoutAnAnswer() async throws {
        let random = SeededRandomSource(seed: 11)
        let loopback = try await LoopbackServer(handler: { _ in
            random.next() % 300 == 0 ? .drop : .answer(HTTP2Answer())
        })
        let pool = loopback.pool { $0.streamsMaximum = 50 }
        var unknown = 0
        for batch in 0..<10 {
            let sent = (0..<500).map { HTTP2Request(.post, "/\(batch)/\($0)", body: [1]) }
            let outcomes = await pool.send(sent)
            let seen = loopback.seen.withLock { $0 }
            for (request, outcome) in zip(sent, outcomes) {
                let times = seen[request.path, default: 0]
                switch outcome {
                case .answered: #expect(times == 1)
                case .notSent: #expect(times == 0)
                case .unknown:
                    #expect(times <= 1)
                    unknown += 1
                }
            }
        }
        #expect(unknown > 0 && unknown < 2_500)
        await loopback.end(pool)
    }

    @Test func aRequestWithoutAnAnswerEndsAtItsOwnLimit() async throws {
        let loopback = try await LoopbackServer(handler: { $0.path == "/slow" ? .stall : .answer(HTTP2Answer()) })
        let pool = loopback.pool { $0.connections = 1 }
        #expect(await pool.send(HTTP2Request(.get, "/quick")).status == 200)
        let slow = await pool.send(HTTP2Request(.get, "/slow", limit: .seconds(1)))
        #expect(slow.isUnknown && slow.code == .deadline)
        let next = await pool.send(HTTP2Request(.get, "/quick"))
        #expect(next.status == 200)
        await loopback.end(pool)
    }

    /// Goal: a connection that accepts requests and answers nothing but PINGs is replaced. Method: the handler answers
    /// on all connections but the first; there the first request spends part of its time on connecting, so its timeout
    /// is not yet a sign.
    @Test func aMuteConnectionIsReplaced() async throws {
        let loopback = try await LoopbackServer(handler: { $0.connection == 1 ? .stall : .answer(HTTP2Answer()) })
        let pool = loopback.pool { $0.connections = 1 }
        #expect(await pool.send(HTTP2Request(.get, "/", limit: .seconds(1))).code == .deadline)
        #expect(await pool.send(HTTP2Request(.get, "/", limit: .milliseconds(500))).code == .deadline)
        #expect(await pool.send(HTTP2Request(.get, "/", limit: .seconds(20))).status == 200)
        await loopback.end(pool)
    }

    /// One unanswered request is no reason to replace a connection on which others are answered.
    @Test func aConnectionThatAnswersOthersIsKept() async throws {
        let connections = Monitor<Set<Int>>([])
        let loopback = try await LoopbackServer(handler: { request in
            connections.change { _ = $0.insert(request.connection) }
            return request.path == "/slow" ? .stall : .answer(HTTP2Answer())
        })
        let pool = loopback.pool { $0.connections = 1 }
        async let slow = pool.send(HTTP2Request(.get, "/slow", limit: .seconds(3)))
        #expect(await loopback.hasSeen(1))
        #expect(await pool.send(HTTP2Request(.get, "/quick")).status == 200)
        #expect(await slow.code == .deadline)
        #expect(await pool.send(HTTP2Request(.get, "/quick")).status == 200)
        #expect(connections.withLock { $0 } == [1])
        await loopback.end(pool)
    }

    /// A peer that neither reads nor writes: accepted requests stay within the window and end at their deadline, and
    /// the pool works again when the peer does.
    @Test func aFrozenPeerFillsTheWindowAndNothingMore() async throws {
        let loopback = try await LoopbackServer()
        let pool = loopback.pool {
            $0.requestsMaximum = 500
            $0.requestLimit = .seconds(3)
        }
        #expect(await pool.send(HTTP2Request(.get, "/first", limit: .seconds(30))).status == 200)
        loopback.server.freeze()
        let outcomes = Monitor<[HTTP2Outcome]>([])
        var accepted = 0
        let body = [UInt8](repeating: 1, count: 4_000)
        while case .accepted = pool.submit(
            requests(50, body: body), completion: { _, outcome in outcomes.change { $0.append(outcome) } })
        {
            accepted += 50
        }
        #expect(accepted == 500)
        let settled = await blocking { outcomes.wait(timeout: .hangLimit) { $0.count == 500 ? $0 : nil } }
        #expect(settled?.allSatisfy { $0.code == .deadline } == true)
        loopback.server.freeze(false)
        #expect(await pool.send(HTTP2Request(.get, "/again", limit: .seconds(30))).status == 200)
        await loopback.end(pool)
    }

    @Test func aSilentPeerIsGivenUpAfterAPing() async throws {
        let loopback = try await LoopbackServer()
        let metrics = Metrics()
        let pool = loopback.pool(metrics: metrics) {
            $0.connections = 1
            // Together longer than an answer takes on a busy machine.
            $0.silenceBeforePing = .milliseconds(500)
            $0.pingLimit = .seconds(2)
        }
        #expect(await pool.send(requests(1)[0]).status == 200)
        loopback.server.freeze()
        let outcome = await pool.send(requests(1)[0])
        #expect(outcome.isUnknown && outcome.code == .silent)
        loopback.server.freeze(false)
        #expect(await pool.send(requests(1)[0]).status == 200)
        #expect(metrics.exposition().contains("lost_connections_total{host=\"\(loopback.endpoint)\"} 1"))
        await loopback.end(pool)
    }

    @Test func aPeerThatComesBackIsFoundAgain() async throws {
        let authority = try await TestAuthority()
        let first = try await LoopbackServer(authority)
        let port = first.server.port
        let pool = first.pool()
        #expect(await pool.send(requests(1)[0]).status == 200)
        await first.server.close()
        let early = await pool.send(HTTP2Request(.get, "/", limit: .seconds(2)))
        // The request may have been sent on the old connection, before its end was noticed.
        #expect(early.isNotSent || early.code == .broken)
        guard case .notReady = pool.readiness() else { return #expect(Bool(false), "ready without a peer") }
        let second = try await LoopbackServer(authority, adjust: { $0.port = port })
        #expect(await pool.send(requests(1)[0]).status == 200)
        #expect(pool.readiness() == .ready)
        await second.end(pool)
    }
}
