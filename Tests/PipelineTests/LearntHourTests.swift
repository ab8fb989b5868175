import JSONKit
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

/// Goal: what a user opens decides when its next push is sent. Method: five pushes are sent at once and opened, each
/// reported twice; a push whose window opens in an hour and lasts two days is then planned for the same hour of tomorrow,
/// and that of a user without opens for the end of its window.
@Suite(.timeLimit(.minutes(10))) struct LearntHourTests {
    private static let hour = Duration.seconds(3_600)

    @Test func opensDecideWhenTheNextPushIsSent() async throws {
        let harness = try await Harness(.embedded)
        let ids = try await harness.ingest.register(
            ["reader", "other"].enumerated().map { TestDevice($0.offset, kind: .apns, topics: [], user: $0.element) })
        let start = SystemTimeSource().now
        for _ in 0..<5 { try await open(on: ids[0], harness: harness) }
        let user = UserKey(try Samples.user("reader"), of: try AppID("news"))
        try await harness.withRedis { redis in
            let opens = RedisUserOpens(StoreConnection(redis))
            try await waitUntil {
                let cells = try await opens.record(of: user)?.cells ?? []
                return cells.reduce(0) { $0 + Int($1.opens) } == 5
            }
        }
        let now = SystemTimeSource().now
        let tasks = [try await post("reader", at: now, harness), try await post("other", at: now, harness)]
        try await harness.withRedis { redis in
            let index = RedisRetryIndex(StoreConnection(redis))
            try await waitUntil {
                var entered = 0
                for shard in RetryShard.tasks { entered += try await index.outlook(of: shard).depth }
                return entered == tasks.count
            }
        }
        let times = try await tasks.concurrentMap(atOnce: 2) { try await planned($0, harness) }
        // A day after the hours in which the pushes were sent, which are one or two.
        #expect((start + Self.hour * 23..<now + Self.hour * 25).contains(times[0]))
        #expect(times[1] > now + Self.hour * 48)
        try await harness.close()
    }

    /// Sends a push to the reader, which the device opens.
    private func open(on device: String, harness: Harness) async throws {
        let task = try await harness.ingest.post(
            #"{"users":["reader"],"message":{"body":"x"},"deliver_within":"2h","method":"traditional"}"#)
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report[.delivered] == 1)
        let proof = try #require(try await harness.dataOfLastPush(of: .apns)["task_proof"]?.text)
        let receipt = #"{"task":"\#(task)","device":"\#(device)","proof":"\#(proof)","kind":"opened"}"#
        for _ in 0..<2 {
            let response = try await harness.ingest.send(
                "POST", "/apps/news/v1/receipts", body: #"{"receipts":[\#(receipt)]}"#)
            #expect(response.status == 202, "\(response.text)")
        }
    }

    private func post(_ user: String, at now: Timestamp, _ harness: Harness) async throws -> TaskID {
        try await harness.ingest.post(
            #"""
            {"users":["\#(user)"],"message":{"body":"x"},"send_at":"\#(now + Self.hour)","deliver_within":"2d"}
            """#)
    }

    private func planned(_ task: TaskID, _ harness: Harness) async throws -> Timestamp {
        let time = try await harness.ingest.task(task)["send_at"]?.text
        return try #require(time.flatMap { Timestamp(rfc3339: $0) })
    }
}
