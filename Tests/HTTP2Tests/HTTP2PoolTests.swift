import HTTP2
import ServiceKit
import TLSSocket
import TestSupport
import Testing

/// Tests against our own server on loopback: guarantees that every sender relies on in normal operation.
@Suite struct HTTP2PoolTests {
    @Test func aRequestArrivesWholeAndSoDoesItsAnswer() async throws {
        let taken = Monitor<HTTP2ServerRequest?>(nil)
        let loopback = try await LoopbackServer(handler: { request in
            taken.change { $0 = request }
            return .answer(HTTP2Answer(201, headers: ["apns-id": "17"], body: Array("done".utf8)))
        })
        let pool = loopback.pool()
        var request = HTTP2Request(.post, "/3/device/ab", sharedHeaders: ["authorization": "bearer x"])
        request.headers.append("apns-id", "17", indexing: .nameOnly)
        request.body = Array("ring".utf8)
        let outcome = await pool.send(request)
        let seen = try #require(taken.withLock { $0 })
        #expect(seen.method == "POST" && seen.path == "/3/device/ab" && seen.body == Array("ring".utf8))
        #expect(seen.headers.fields.map(\.name) == ["authorization", "apns-id"])
        #expect(seen.headers["authorization"] == "bearer x" && seen.headers["apns-id"] == "17")
        let response = try #require(outcome.response)
        #expect(response.status == 201 && response.headers["apns-id"] == "17")
        #expect(response.body == Array("done".utf8) && !response.isTruncated)
        await loopback.end(pool)
    }

    @Test func thousandsGoOutTogetherOverSeveralConnections() async throws {
        let connections = Monitor<Set<Int>>([])
        let loopback = try await LoopbackServer(handler: { request in
            _ = connections.change { $0.insert(request.connection) }
            return .answer(HTTP2Answer(delay: .milliseconds(1)))
        })
        let pool = loopback.pool {
            $0.connections = 3
            $0.streamsMaximum = 200
        }
        let outcomes = await pool.send(requests(4_000))
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(loopback.seen.withLock { $0.count } == 4_000)
        #expect(connections.withLock { $0 } == [1, 2, 3])
        await loopback.end(pool)
    }

    @Test func headersStayRightFromRequestToRequest() async throws {
        let loopback = try await LoopbackServer(handler: { request in
            .answer(
                HTTP2Answer(headers: [
                    "echo": request.headers["apns-id"] ?? "", "topic": request.headers["topic"] ?? "",
                ]))
        })
        let pool = loopback.pool { $0.connections = 1 }
        // More than the compression table holds, so that entries are evicted.
        let sent = (0..<500).map { number in
            var request = HTTP2Request(.post, "/", sharedHeaders: ["topic": "t\(number / 100)"])
            request.headers.append("apns-id", "id-\(number)", indexing: .nameOnly)
            request.headers.append("filler", String(repeating: "\(number % 10)", count: 100))
            return request
        }
        let outcomes = await pool.send(sent)
        for (number, outcome) in outcomes.enumerated() {
            let response = try #require(outcome.response)
            #expect(response.headers["echo"] == "id-\(number)" && response.headers["topic"] == "t\(number / 100)")
        }
        await loopback.end(pool)
    }

    @Test func aPeersWindowOfOneByteIsObeyed() async throws {
        let bodies = Monitor<[[UInt8]]>([])
        let loopback = try await LoopbackServer(
            adjust: { $0.streamWindow = 1 },
            handler: { request in
                bodies.change { $0.append(request.body) }
                return .answer(HTTP2Answer())
            })
        let pool = loopback.pool()
        let body = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        let outcomes = await pool.send(requests(5, body: body))
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(bodies.withLock { $0 } == Array(repeating: body, count: 5))
        await loopback.end(pool)
    }

    @Test func aLongAnswerIsKeptUpToItsBound() async throws {
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let loopback = try await LoopbackServer(handler: { request in
            .answer(HTTP2Answer(headers: ["long": String(repeating: "x", count: 2_000)], body: body))
        })
        let patient = loopback.pool { $0.responseBodyMaximum = 1 << 20 }
        let whole = try #require(await patient.send(requests(1)[0]).response)
        #expect(whole.body == body && !whole.isTruncated && whole.headers["long"] != nil)
        let strict = loopback.pool {
            $0.responseBodyMaximum = 1_000
            $0.responseHeadersMaximum = 1_000
        }
        for outcome in await strict.send(requests(50)) {
            let cut = try #require(outcome.response)
            #expect(cut.status == 200 && cut.isTruncated && cut.body == Array(body.prefix(1_000)))
            #expect(cut.headers["long"] == nil)
        }
        await patient.close()
        await loopback.end(strict)
    }

    @Test func theCertificateOfTheClientIsShown() async throws {
        let name = Monitor<String?>(nil)
        let authority = try await TestAuthority()
        let loopback = try await LoopbackServer(
            authority, adjust: { $0.tls.clientAuthorityFile = authority.authorityFile },
            handler: { request in
                name.change { $0 = request.clientName }
                return .answer(HTTP2Answer())
            })
        let anonymous = loopback.pool()
        let first = await anonymous.send(requests(1)[0])
        #expect(first.status == 200 && name.withLock { $0 } == nil)
        let known = loopback.pool {
            $0.tls.certificateFile = authority.certificateFile
            $0.tls.privateKeyFile = authority.keyFile
        }
        let second = await known.send(requests(1)[0])
        #expect(second.status == 200 && name.withLock { $0 } == "localhost")
        await anonymous.close()
        await loopback.end(known)
    }

    /// The server delays its answers, so the time between arrivals shows whether the next request waited for the
    /// answer. One late arrival shortens the interval to the next, hence half of the delay.
    @Test func oneStreamUntilCredentialsAreProven() async throws {
        let arrivals = Monitor<[Duration]>([])
        let pause = Duration.milliseconds(500)
        let loopback = try await LoopbackServer(handler: { _ in
            let count = arrivals.change { arrivals in
                arrivals.append(SystemTimeSource().uptime)
                return arrivals.count
            }
            return .answer(HTTP2Answer(count < 3 ? 403 : 200, delay: pause))
        })
        let pool = loopback.pool {
            $0.connections = 1
            $0.provesAuthentication = { $0.status != 403 }
        }
        let outcomes = await pool.send(requests(40))
        #expect(outcomes.compactMap(\.status).filter { $0 == 403 }.count == 2)
        #expect(outcomes.compactMap(\.status).count == 40)
        let times = arrivals.withLock { $0 }
        for (earlier, later) in zip(times.prefix(3), times.dropFirst().prefix(3)) {
            #expect(later - earlier >= pause / 2)
        }
        await loopback.end(pool)
    }

    @Test func sendWaitsWhileTheWindowIsFullAndSubmitIsRefused() async throws {
        let loopback = try await LoopbackServer()
        loopback.server.changeSettings(streamsMaximum: 0)
        let pool = loopback.pool { $0.requestsMaximum = 10 }
        let outcomes = Monitor<[HTTP2Outcome]>([])
        let first = pool.submit(requests(10)) { _, outcome in outcomes.change { $0.append(outcome) } }
        let second = pool.submit(requests(1)) { _, _ in }
        #expect(first == .accepted && second == .full && pool.room == 0)
        async let waiting = pool.send(requests(200))
        loopback.server.changeSettings(streamsMaximum: 3)
        #expect(await waiting.allSatisfy { $0.status == 200 })
        #expect(outcomes.withLock { $0.map(\.status) } == Array(repeating: 200, count: 10))
        await loopback.end(pool)
    }

    @Test func whoWaitsBeyondTheBoundIsRefused() async throws {
        let loopback = try await LoopbackServer()
        let pool = loopback.pool {
            $0.requestsMaximum = 10
            $0.waitersMaximum = 10
        }
        let outcomes = await pool.send(requests(21))
        #expect(outcomes.count == 21 && outcomes.allSatisfy { $0.isNotSent && $0.code == .full })
        #expect(loopback.seen.withLock { $0.isEmpty })
        await loopback.end(pool)
    }

    @Test func connectionsAreReplacedWhenAskedAndWhenTheyAreOld() async throws {
        let last = Monitor(0)
        let loopback = try await LoopbackServer(handler: { request in
            last.change { $0 = request.connection }
            return .answer(HTTP2Answer())
        })
        let pool = loopback.pool { $0.connections = 1 }
        _ = await pool.send(requests(3))
        #expect(last.withLock { $0 } == 1)
        pool.renewConnections()
        let renewed = await pool.send(requests(1)[0])
        #expect(renewed.status == 200 && last.withLock { $0 } == 2)
        await pool.close()

        let aging = loopback.pool {
            $0.connections = 1
            $0.ageMaximum = .milliseconds(10)
        }
        let end = SystemTimeSource().uptime + .hangLimit
        while last.withLock({ $0 }) < 5, SystemTimeSource().uptime < end {
            let outcome = await aging.send(requests(1)[0])
            #expect(outcome.status == 200)
        }
        #expect(last.withLock { $0 } >= 5)
        await loopback.end(aging)
    }

    /// PINGs are sent between the requests; the connection survives them.
    @Test func aQuietConnectionIsAskedAndKept() async throws {
        let connections = Monitor<Set<Int>>([])
        let loopback = try await LoopbackServer(handler: { request in
            _ = connections.change { $0.insert(request.connection) }
            return .answer(HTTP2Answer(delay: .milliseconds(10)))
        })
        let pool = loopback.pool {
            $0.idleBeforePing = .milliseconds(1)
            $0.silenceBeforePing = .milliseconds(1)
        }
        for _ in 0..<20 {
            let outcome = await pool.send(requests(1)[0])
            #expect(outcome.status == 200)
        }
        #expect(connections.withLock { $0 } == [1])
        await loopback.end(pool)
    }

    @Test func closingAnswersWhatWasAcceptedAndTakesNothingMore() async throws {
        let loopback = try await LoopbackServer(handler: { _ in .answer(HTTP2Answer(delay: .milliseconds(20))) })
        let pool = loopback.pool()
        let outcomes = Monitor<[HTTP2Outcome]>([])
        let admission = pool.submit(requests(100)) { _, outcome in outcomes.change { $0.append(outcome) } }
        #expect(admission == .accepted)
        await pool.close(within: .seconds(30))
        #expect(outcomes.withLock { $0.map(\.status) } == Array(repeating: 200, count: 100))
        let late = await pool.send(requests(1)[0])
        #expect(late.isNotSent && late.code == .closed)
        #expect(pool.submit(requests(1)) { _, _ in } == .closed)
        await loopback.server.close()
    }

    @Test func whatIsUnansweredWhenClosingTakesTooLongIsGivenUp() async throws {
        let loopback = try await LoopbackServer(adjust: { $0.streamsMaximum = 2 }, handler: { _ in .stall })
        let pool = loopback.pool { $0.connections = 1 }
        async let outcomes = pool.send(requests(5))
        #expect(await loopback.hasSeen(2))
        await pool.close(within: .milliseconds(10))
        #expect(await outcomes.filter { $0.isUnknown && $0.code == .closed }.count == 2)
        #expect(await outcomes.filter { $0.isNotSent && $0.code == .closed }.count == 3)
        await loopback.server.close()
    }

    @Test func poolsShareAReactor() async throws {
        let loopback = try await LoopbackServer()
        let reactor = HTTP2Reactor()
        let pools = (0..<5).map { _ in
            HTTP2Pool(
                loopback.endpoint, configuration: loopback.configuration(), log: quietLog, metrics: Metrics(),
                reactor: reactor)
        }
        await withTaskGroup(of: Bool.self) { tasks in
            for pool in pools {
                tasks.addTask { await pool.send(requests(100)).allSatisfy { $0.status == 200 } }
            }
            for await isAnswered in tasks { #expect(isAnswered) }
        }
        for pool in pools { await pool.close() }
        reactor.stop()
        #expect(await reactor.ended(within: .hangLimit, time: SystemTimeSource()))
        await loopback.server.close()
    }
}
