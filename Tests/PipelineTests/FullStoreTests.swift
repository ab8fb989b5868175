import JSONKit
import PushModel
import RedisClient
import ServiceKit
import TestSupport
import Testing
import Topics

/// A Redis that is filled to the limits of the services.
@Suite(.timeLimit(.minutes(10))) struct FullStoreTests {
    private static let maximum = 24 << 20
    /// Tasks are large, so that few of them reach their limit.
    private static let body = String(repeating: "x", count: 3_000)

    /// Goal: a full pipeline drains without intervention. Method: memory is filled by one value in place of devices, up
    /// to where registrations still have room; then by registrations and by single pushes to a provider that does not
    /// answer, each until they are refused. When the provider answers again, every accepted task is delivered.
    @Test func aFullPipelineDrains() async throws {
        let pauses = ["CARILLON_SENDER_OUTAGE_PAUSE": "1s", "CARILLON_SENDER_OUTAGE_PAUSE_LONGEST": "2s"]
        let harness = try await Harness(.embedded, changes: pauses)
        let ids = try await harness.ingest.register(TestDevice.mixture(6))
        try await harness.withRedis { redis in
            _ = try await redis.send(RedisCommand("CONFIG", "SET", "maxmemory", RedisArgument(Self.maximum)))
            let filler = Self.maximum * 61 / 100 - (try await Self.used(redis))
            // Not sent as a value, because the connection's buffer would count as well.
            _ = try await redis.send(RedisCommand("SETRANGE", "filler", RedisArgument(filler), "x"))
        }
        for provider in Harness.providers {
            try await harness.simulator.admin("POST", "/faults", body: #"{"provider":"\#(provider)","kind":"stall"}"#)
        }
        let registrations = try await Self.untilRefused { number in
            let token = String(repeating: "0", count: 56) + String(UInt32(number + 0x1000_0000), radix: 16)
            return try await harness.ingest.send(
                "POST", "/apps/news/subscribers", body: #"{"proto":"apns","token":"\#(token)"}"#)
        }
        var tasks: [TaskID] = []
        _ = try await Self.untilRefused { number in
            let task = #"{"devices":["\#(ids[number % ids.count])"],"message":{"body":"\#(Self.body)"}}"#
            let answer = try await harness.ingest.send("POST", "/apps/news/v1/tasks", body: task)
            if answer.status == 201 {
                tasks.append(try #require(try JSON(answer.body)["id"]?.text.flatMap { TaskID($0) }))
            }
            return answer
        }
        #expect(registrations > 0 && tasks.count > 50)
        try await harness.simulator.admin("DELETE", "/faults", body: "")
        for task in tasks {
            let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
            #expect(report.targeted == 1 && report[.delivered] == 1)
        }
        try await harness.close()
    }

    /// Number of requests accepted before the first 503.
    private static func untilRefused(
        _ send: (Int) async throws -> RawClient.Response
    ) async throws -> Int {
        var taken = 0
        while true {
            let answer = try await send(taken)
            if answer.status == 503 { return taken }
            guard 200...299 ~= answer.status else { throw SetupError(description: "\(answer.status) \(answer.text)") }
            taken += 1
        }
    }

    private static func used(_ redis: RedisClient) async throws -> Int {
        let info = try await redis.send(RedisCommand("INFO", "memory")).string ?? ""
        let line = try #require(info.split(separator: "\r\n").first { $0.hasPrefix("used_memory:") })
        return try #require(Int(line.dropFirst("used_memory:".count)))
    }
}
