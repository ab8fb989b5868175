import CommandKit
import Glibc
import ServiceKit

/// A task to every device at 500 a second, with two resolvers. It is cancelled after a minute.
struct RateBench {
    private static let rate = 500
    private static let seconds = 60
    private static let pause = Duration.milliseconds(500)

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
        return RateBench.figures(try await receipts().sorted())
    }

    private func receipts() async throws -> [Timestamp] {
        var apple = try await PushReceipts(of: "apns", harness: pipeline.harness, http: pipeline.http)
        var google = try await PushReceipts(of: "fcm", harness: pipeline.harness, http: pipeline.http)
        let task = try await pipeline.postTask(ScheduleBench.broadcast(#","rate":\#(RateBench.rate)"#))
        var end: Duration?
        while end.map({ SystemTimeSource().uptime < $0 }) ?? true {
            try await apple.poll()
            try await google.poll()
            if end == nil, !(apple.all + google.all).isEmpty {
                end = SystemTimeSource().uptime + .seconds(RateBench.seconds + 2)
            }
            try await SystemTimeSource().sleep(for: RateBench.pause)
        }
        _ = try await pipeline.http.post(
            "\(pipeline.harness.url)/v1/tasks/\(task)/cancel", body: "", type: "application/json",
            key: pipeline.harness.key)
        return (apple.all + google.all).map(\.received)
    }

    /// Counts by the second since the first push; the first second may have a burst.
    private static func figures(_ times: [Timestamp]) -> [BenchFigure] {
        guard let first = times.first else { return [] }
        var counts = [Int](repeating: 0, count: seconds + 1)
        for time in times {
            let second = Int((time - first).wholeMilliseconds / 1_000)
            if second < counts.count { counts[second] += 1 }
        }
        let counted = counts[1..<seconds]
        let (least, most) = (counted.min() ?? 0, counted.max() ?? 0)
        let worst = max(abs(Double(rate - least)), abs(Double(most - rate))) / Double(rate) * 100
        return [
            BenchFigure(name: "schedule.rate_500.worst", value: worst, unit: "% off"),
            BenchFigure(name: "schedule.rate_500.least", value: Double(least), unit: "pushes/s"),
            BenchFigure(name: "schedule.rate_500.most", value: Double(most), unit: "pushes/s"),
        ]
    }
}
