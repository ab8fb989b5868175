import CommandKit
import Glibc
import ServiceKit

/// A task to every device at 500 a second, with two resolvers. It is cancelled after a minute.
struct RateBench {
    private static let rate = 500
    private static let seconds = 60

    let pipeline: PipelineBench

    func run() async throws -> [BenchFigure] {
        guard pipeline.devices >= RateBench.rate * (RateBench.seconds + 5) else {
            pipeline.say("no push at a rate: it needs \(RateBench.rate * (RateBench.seconds + 5)) devices")
            return []
        }
        pipeline.say("a push to every device at \(RateBench.rate) a second, for \(RateBench.seconds) seconds")
        let redis = pipeline.harness.redis
        let second = try SiblingProgram("targeting-resolver").start(
            [], variables: ["CARILLON_BUS": redis, "CARILLON_REDIS": redis, "CARILLON_ADMIN_PORT": "0"])
        defer { second.signal(SIGKILL) }
        return RateCounts(try await receipts(), seconds: RateBench.seconds).figures(
            named: "schedule.rate_500", rate: RateBench.rate)
    }

    private func receipts() async throws -> [Timestamp] {
        var receipts = [
            try await PushReceipts(of: "apns", harness: pipeline.harness, http: pipeline.http),
            try await PushReceipts(of: "fcm", harness: pipeline.harness, http: pipeline.http),
        ]
        let task = try await pipeline.postTask(ScheduleBench.broadcast(#","rate":\#(RateBench.rate)"#))
        let times = try await RateCounts.times(of: &receipts, for: RateBench.seconds)
        _ = try await pipeline.http.post(
            "\(pipeline.harness.url)/v1/tasks/\(task)/cancel", body: "", type: "application/json",
            key: pipeline.harness.key)
        return times
    }
}
