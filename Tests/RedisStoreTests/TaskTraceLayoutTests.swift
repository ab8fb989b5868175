import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// The layout of traces in Redis, which decides the memory that a week of single pushes takes.
@Suite(.timeLimit(.minutes(5))) struct TaskTraceLayoutTests {
    private static let bucketCount: UInt64 = 16_384

    private func single(_ closed: Timestamp) throws -> TaskTrace {
        let plan = TaskPlan(
            app: try AppID("news"), jobs: 1, isFast: true, deadline: closed + .seconds(86_400), policy: .atLeastOnce)
        let detail = OutcomeDetail(state: .delivered, attempt: 0, time: closed, status: 200, reason: "")
        let device = TaskOutcomes.Device(index: DeviceIndex(rawValue: 900_000), state: .delivered, detail: detail)
        return TaskTrace(
            TaskOutcomes(plan: plan, devices: [device]), dialect: "native", created: closed + .milliseconds(-40),
            closed: closed, isCancelled: false)
    }

    /// Goal: a single push leaves less than a hundred bytes, including expiries. Method: as many traces share a hash as
    /// at ten and at a hundred a second for a whole day, in enough hashes to be visible in the server's memory.
    @Test(arguments: [53, 527]) func aSinglePushTakesLessThanAHundredBytes(density: Int) async throws {
        let fixture = try await RegistryFixture()
        let time = SystemTimeSource()
        let traces = RedisTaskTraces(StoreConnection(fixture.redis), time: time)
        let (trace, buckets) = (try single(time.now), 10_000 / density)
        let random = SeededRandomSource(seed: 1)
        let before = try await memory(fixture)
        for _ in 0..<density {
            try await withThrowingTaskGroup { group in
                for bucket in 0..<buckets {
                    let low = random.next() / Self.bucketCount * Self.bucketCount + UInt64(bucket)
                    let task = TaskID(high: random.next(), low: low)
                    group.addTask { try await traces.keep(trace, of: task, for: .seconds(7 * 86_400)) }
                }
                try await group.waitForAll()
            }
        }
        let bytes = (try await memory(fixture) - before) / (density * buckets)
        #expect((40..<100).contains(bytes), "\(bytes) bytes per push")
        #expect(try await fixture.command("DBSIZE") == .integer(Int64(buckets)))
        let key = try #require(try await fixture.command("RANDOMKEY").string)
        #expect(try await fixture.command("OBJECT", "ENCODING", key).string == "listpack")
        let left = try #require(try await fixture.command("PTTL", key).integer)
        let week: Int64 = 7 * 86_400_000
        #expect((week - 60_000...week + 86_400_000).contains(left))
    }

    @Test func aFullServerSaysSo() async throws {
        let fixture = try await RegistryFixture()
        let time = SystemTimeSource()
        let traces = RedisTaskTraces(StoreConnection(fixture.redis), time: time)
        let task = TaskID(high: 1, low: 1)
        // Once with room, so that the server has the script.
        try await traces.keep(try single(time.now), of: task, for: .seconds(60))
        _ = try await fixture.command("CONFIG", "SET", "maxmemory", "1")
        do {
            try await traces.keep(try single(time.now), of: task, for: .seconds(60))
            Issue.record("the trace was accepted")
        } catch {
            #expect((error as? StoreError)?.code == .full, "\(error)")
        }
    }

    private func memory(_ fixture: RegistryFixture) async throws -> Int {
        let lines = try #require(try await fixture.command("INFO", "memory").string).split(whereSeparator: \.isNewline)
        let line = try #require(lines.first { $0.hasPrefix("used_memory:") })
        return try #require(Int(line.dropFirst("used_memory:".count)))
    }
}
