import CommandKit
import PushModel
import ServiceKit

/// Scheduled single pushes, and a task that is sent at a rate.
struct ScheduleBench {
    private static let postsAtOnce = 64
    private static let latePushes = 300
    private static let pause = Duration.milliseconds(50)

    let pipeline: PipelineBench
    /// Single pushes that are due at one instant.
    let pushes: Int

    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(pipeline.devices) devices")
        let (apple, huawei) = try await pipeline.fill()
        var figures = try await release(to: apple)
        pipeline.say("\(ScheduleBench.latePushes) scheduled pushes, one after another")
        // The first push to a provider opens its connection.
        let arrived = try await pipeline.accepted()
        _ = try await pipeline.postTask(#"{"devices":["\#(huawei)"],"message":{"body":"Hello"}}"#)
        _ = try await hasArrived(arrived + 1)
        let idle = try await lateness(to: huawei, first: time.now + .seconds(5))
        figures.append(BenchFigure(name: "schedule.lateness_p99", value: idle.percentile(99), unit: "ms"))
        pipeline.say("the same during a push to every device")
        let first = time.now + .seconds(5)
        let task = try await pipeline.postTask(ScheduleBench.broadcast(""))
        let busy = try await lateness(to: huawei, first: first)
        figures.append(BenchFigure(name: "schedule.lateness_busy_p99", value: busy.percentile(99), unit: "ms"))
        try await pipeline.isClosed(task)
        return figures + (try await RateBench(pipeline: pipeline).run())
    }

    static func broadcast(_ field: String) -> String {
        #"{"audience":{"topic":"\#(SyntheticDevice.everyone)"},"message":{"title":"Hello","body":"World"}\#(field)}"#
    }

    /// The rates at which single pushes arrive: posted directly, and released at one instant.
    private func release(to device: DeviceID) async throws -> [BenchFigure] {
        pipeline.say("\(pushes) pushes to one device, posted directly")
        var before = try await pipeline.accepted()
        let posted = time.uptime
        try await post(to: device, at: nil)
        let direct = Double(pushes) / (try await hasArrived(before + pushes) - posted).inSeconds
        pipeline.say("the same, scheduled for one instant")
        before = try await pipeline.accepted()
        let due = time.now + .seconds(10 + pushes / 200)
        try await post(to: device, at: due)
        let left = due - time.now
        guard left > .zero else { throw BenchError("the tasks were due before all were posted") }
        try await time.sleep(for: left)
        let start = time.uptime
        let scheduled = Double(pushes) / (try await hasArrived(before + pushes) - start).inSeconds
        return [
            BenchFigure(name: "schedule.direct.rate", value: direct, unit: "pushes/s"),
            BenchFigure(name: "schedule.release.rate", value: scheduled, unit: "pushes/s"),
            BenchFigure(name: "schedule.release.ratio", value: scheduled / direct, unit: "of direct"),
        ]
    }

    private func post(to device: DeviceID, at due: Timestamp?) async throws {
        let field = due.map { #","send_at":"\#($0)""# } ?? ""
        let body = #"{"devices":["\#(device)"],"message":{"body":"Hello"}\#(field)}"#
        _ = try await Concurrently.run(pushes, atOnce: ScheduleBench.postsAtOnce) { _ in
            _ = try await pipeline.postTask(body)
        }
    }

    private func hasArrived(_ count: Int) async throws -> Duration {
        while try await pipeline.accepted() < count { try await time.sleep(for: ScheduleBench.pause) }
        return time.uptime
    }

    /// Milliseconds from the time of each task to its receipt, ten tasks a second.
    private func lateness(to device: DeviceID, first: Timestamp) async throws -> [Double] {
        var receipts = try await PushReceipts(of: "huawei", harness: harness, http: pipeline.http)
        var due: [(task: String, moment: Timestamp)] = []
        for number in 0..<ScheduleBench.latePushes {
            let moment = first + .milliseconds(Int64(100 * number))
            let task = try await pipeline.postTask(
                #"{"devices":["\#(device)"],"message":{"body":"Hello"},"send_at":"\#(moment)"}"#)
            due.append((task, moment))
        }
        while receipts.all.count < ScheduleBench.latePushes {
            try await receipts.poll()
            try await time.sleep(for: ScheduleBench.pause)
        }
        return try receipts.latencies(since: due)
    }
}
