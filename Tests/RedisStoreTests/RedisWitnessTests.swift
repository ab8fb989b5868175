import PushModel
import RedisClient
import ServiceKit
import Store
import TestSupport
import Testing

@testable import RedisStore

/// A Redis that comes back with older data, after a failover or from a restored file.
@Suite struct RedisWitnessTests {
    private let metrics = Metrics()
    private let log = Log(service: "test", level: .error, sink: CollectingSink())

    private func client(_ server: RedisServer) throws -> RedisClient {
        RedisClient(try RedisConfiguration(url: server.url), log: log, metrics: Metrics())
    }

    private func witness(_ client: RedisClient, isRepairable: Bool = false) -> RedisWitness {
        RedisWitness(StoreConnection(client), isRepairable: isRepairable, log: log, metrics: metrics)
    }

    private func durableServer() async throws -> RedisServer {
        var options = RedisServer.Options()
        options.isDurable = true
        return try await RedisServer(options)
    }

    @Test func aRestartLosesNothingAndIsNoRollback() async throws {
        let server = try await durableServer()
        let client = try client(server)
        let witness = witness(client)
        try await witness.tick()
        await server.kill9()
        try await server.restart()
        for _ in 0..<3 { try await witness.tick() }
        #expect(witness.epoch == .first)
        await client.close()
    }

    @Test(arguments: [false, true]) func aRestoredFileIsNoticedByAll(isRepairable: Bool) async throws {
        let server = try await durableServer()
        let client = try client(server)
        let first = witness(client, isRepairable: isRepairable)
        let second = witness(client, isRepairable: isRepairable)
        try await first.tick()
        try await second.tick()
        try await server.goBack {
            try await first.tick()
            try await second.tick()
        }
        try await first.tick()
        let began = try #require(first.epoch.began)
        #expect(first.epoch.isDoubtful == isRepairable)
        // The others see the new epoch and begin none of their own; so does a newly started process.
        let third = witness(client, isRepairable: isRepairable)
        for witness in [second, third, first] {
            try await witness.tick()
            #expect(witness.epoch.began == began)
            #expect(witness.epoch.isDoubtful == isRepairable)
        }
        #expect(metrics.counter(.storeWentBack).value == 1)
        #expect(try await first.trust(in: first.epoch))
        try await second.tick()
        for witness in [first, second] {
            #expect(witness.epoch == LedgerEpoch(began: began, isDoubtful: false))
        }
        await client.close()
    }

    /// Goal: a rebuild does not end the doubt about a loss during it. Method: the store goes back once more, which no
    /// process has noticed when the rebuild ends, and then again, which another process has noticed.
    @Test func aLossDuringARebuildKeepsTheDoubt() async throws {
        let server = try await durableServer()
        let client = try client(server)
        let rebuild = witness(client, isRepairable: true)
        let other = witness(client, isRepairable: true)
        try await rebuild.tick()
        try await server.goBack { try await rebuild.tick() }
        try await rebuild.tick()
        let first = try await rebuild.currentEpoch()
        #expect(first.isDoubtful)
        try await other.tick()
        try await server.goBack {
            try await other.tick(); try await rebuild.tick()
        }
        #expect(try await !rebuild.trust(in: first))
        let second = try await rebuild.currentEpoch()
        #expect(second.isDoubtful && second.began != first.began)
        try await server.goBack { try await other.tick() }
        try await other.tick()
        #expect(try await !rebuild.trust(in: second))
        let third = try await rebuild.currentEpoch()
        #expect(third.isDoubtful)
        #expect(try await rebuild.trust(in: third))
        #expect(try await !other.currentEpoch().isDoubtful)
        await client.close()
    }

    /// Others may raise the count above what a process knew before that process looks again.
    @Test func aLossThatOthersHaveCaughtUpWithIsNoticed() async throws {
        let server = try await durableServer()
        let client = try client(server)
        let first = witness(client)
        let second = witness(client)
        try await first.tick()
        try await second.tick()
        try await server.goBack { try await first.tick() }
        for _ in 0..<3 { try await second.tick() }
        #expect(second.epoch == .first)
        try await first.tick()
        let began = try #require(first.epoch.began)
        try await second.tick()
        #expect(second.epoch.began == began)
        for witness in [first, second, first, second] { try await witness.tick() }
        #expect(metrics.counter(.storeWentBack).value == 1)
        await client.close()
    }

    @Test func aProcessThatIsForgottenNoticesNoLoss() async throws {
        let server = try await RedisServer()
        let client = try client(server)
        let first = witness(client)
        try await first.tick()
        let others = (2...RedisWitness.writersMaximum + 1).map { "\($0)" }
        let entries = others.flatMap { [RedisArgument($0), RedisArgument($0)] }
        _ = try await client.send(RedisCommand(["ZADD", "{witness}:writers"] + entries))
        let count = RedisArgument(RedisWitness.writersMaximum + 1)
        _ = try await client.send(RedisCommand("HSET", "witness", "count", count))
        try await witness(client).tick()
        let kept = try await client.send(RedisCommand("ZCARD", "{witness}:writers")).integer
        #expect(kept == Int64(RedisWitness.writersMaximum * 3 / 4 + 2))
        #expect(try await client.send(RedisCommand("HGET", "witness", "forgotten")).string == "256")
        try await first.tick()
        #expect(first.epoch == .first)
        await client.close()
    }

    @Test func anEmptiedRedisIsNoticed() async throws {
        let server = try await RedisServer()
        let client = try client(server)
        let witness = witness(client)
        for _ in 0..<3 { try await witness.tick() }
        _ = try await client.send(RedisCommand("FLUSHALL"))
        try await witness.tick()
        #expect(witness.epoch.began != nil)
        await client.close()
    }

    /// A newer version stores plans and claims differently: an older process must neither read nor write them.
    @Test func aStoreOfANewerFormatIsLeftAlone() async throws {
        let server = try await RedisServer()
        let client = try client(server)
        let witness = witness(client)
        try await witness.tick()
        #expect(try await client.send(RedisCommand("HGET", "witness", "format")).string == "1")
        #expect(witness.newerFormat == nil)
        let count = try await client.send(RedisCommand("HGET", "witness", "count"))
        _ = try await client.send(RedisCommand("HSET", "witness", "format", "3"))
        let error = await #expect(throws: StoreError.self) { try await witness.tick() }
        #expect(error?.code == .refused && witness.newerFormat == 3)
        #expect(try await client.send(RedisCommand("HGET", "witness", "count")) == count)
        await client.close()
    }

    /// A lost claim has lost its count too: no tick in between is needed.
    @Test func aLostClaimShowsWithTheNext() async throws {
        let server = try await durableServer()
        let client = try client(server)
        let witness = witness(client)
        let ledger = RedisLedger(StoreConnection(client), witness: witness)
        let task = TaskID(high: 1, low: 2)
        let segment = SegmentID(try AppID("news"), number: SegmentNumber(rawValue: 1))
        let plan = TaskPlan(
            app: segment.app, jobs: 1, isFast: false, deadline: SystemTimeSource().now + .seconds(600),
            policy: .atMostOnce)
        _ = try await ledger.plan(task, as: plan)
        _ = try await ledger.mark(SegmentSet([1, 2]), of: task, in: segment)
        func claim(_ offset: UInt16, number: UInt64) async throws -> ClaimVerdict {
            try await ledger.claim(
                ClaimRequest(
                    id: ClaimID(owner: 1, number: number), offsets: [offset], attempt: 0, lease: .seconds(60),
                    countsBadge: false), of: task, in: segment)
        }
        _ = try await claim(1, number: 1)
        try await server.goBack { _ = try await claim(2, number: 2) }
        #expect(witness.epoch == .first)
        // The ledger hands out the device a second time and reports that it is doubtful.
        guard case .answers(let answers) = try await claim(2, number: 3) else {
            throw SetupError(description: "no ledger")
        }
        #expect(answers == [.claimed(badge: nil)])
        #expect(witness.epoch.began != nil)
        await client.close()
    }

    @Test func theWorkOfADoubtfulStoreIsRemovedAndNothingElse() async throws {
        let server = try await RedisServer()
        let client = try client(server)
        let witness = witness(client, isRepairable: true)
        let store = StoreConnection(client)
        let task = TaskID(high: 1, low: 2)
        let segment = SegmentID(try AppID("news"), number: SegmentNumber(rawValue: 1))
        let ledger = RedisLedger(store)
        let agenda = RedisTaskAgenda(store)
        let plan = TaskPlan(
            app: segment.app, jobs: 1, isFast: false, deadline: SystemTimeSource().now + .seconds(600),
            policy: .atMostOnce)
        _ = try await ledger.plan(task, as: plan)
        _ = try await ledger.mark(SegmentSet([1, 2]), of: task, in: segment)
        let group = Deferral(offsets: [2], cause: .cap, due: plan.deadline)
        #expect(try await ledger.defer([group], of: task, in: segment) == SegmentSet([2]))
        try await agenda.enter(task, due: SystemTimeSource().now)
        _ = try await client.send(RedisCommand("SET", "content:{x}", "y"))
        try await witness.tick()
        try await witness.removeWork()
        #expect(try await ledger.progress(of: task) == nil)
        #expect(try await ledger.states(of: task, in: segment) == nil)
        #expect(try await agenda.count() == 0)
        let keys = try await client.send(RedisCommand("KEYS", "*")).array?.compactMap(\.string)
        #expect(keys.map { Set($0) } == ["content:{x}", "witness", "{witness}:writers"])
        await client.close()
    }
}
