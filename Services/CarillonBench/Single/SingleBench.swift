import CommandKit
import PushModel
import RedisClient
import ServiceKit

/// Pushes to one user each: as fast as they are accepted, and at a part of the rate at which they are delivered.
struct SingleBench {
    private static let warmUp = 500
    private static let pause = Duration.milliseconds(50)
    private static let samplePause = Duration.milliseconds(100)
    /// For what is under way when the last task is posted.
    private static let patience = Duration.seconds(60)

    let pipeline: PipelineBench
    /// As fast as possible.
    let pushes: Int
    /// Of the runs at a part of that rate.
    let duration: Duration

    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }

    func run() async throws -> (full: FullLoad, figures: [BenchFigure]) {
        pipeline.say("registering \(pipeline.devices) devices")
        let sampled = try await pipeline.fill().huawei
        let load = try SingleLoad(harness, users: pipeline.devices)
        let full = try await fullLoad(load)
        pipeline.say("a push to every device")
        let broadcastSeconds = try await pipeline.broadcast().usage.cpuSeconds
        var figures = full.figures(broadcastMilliseconds: broadcastSeconds * 1_000 / Double(pipeline.devices))
        for (name, share) in [("half_load", 0.5), ("high_load", 0.8)] {
            let rate = full.deliveredRate * share
            pipeline.say("pushes at \(Int(rate)) a second, for \(Int(duration.inSeconds)) seconds")
            let latencies = try await latencies(at: rate, load: load, to: sampled)
            figures += [
                BenchFigure(name: "single.\(name).p50", value: latencies.percentile(50), unit: "ms"),
                BenchFigure(name: "single.\(name).p99", value: latencies.percentile(99), unit: "ms"),
            ]
        }
        figures += try harness.usage().map { $0.memoryFigure("single.memory_peak") }
        pipeline.say("single pushes during another push to every device")
        let busy = try await pipeline.latenciesWhileBusy(sampled)
        figures.append(BenchFigure(name: "single.beside_broadcast.p99", value: busy.percentile(99), unit: "ms"))
        return (full, figures)
    }

    /// With the programs of another build: only what every build can be asked for.
    func runFullLoad() async throws -> FullLoad {
        pipeline.say("registering \(pipeline.devices) devices with the older build")
        try await pipeline.fillOverHTTP()
        return try await fullLoad(try SingleLoad(harness, users: pipeline.devices))
    }

    private func fullLoad(_ load: SingleLoad) async throws -> FullLoad {
        try await load.post(SingleBench.warmUp)
        try await pipeline.waitUntilIdle()
        pipeline.say("\(pushes) pushes to one user each, as fast as possible")
        let expected = try await pipeline.accepted() + pushes
        let (compaction, before) = try await pipeline.withStore { client in
            (try await LogCompaction(pausedBy: client), try await RedisWork(client))
        }
        let usageBefore = try harness.usage()
        let start = time.uptime
        try await load.post(pushes)
        let accepted = time.uptime - start
        try await hasArrived(expected)
        let delivered = time.uptime - start
        try await pipeline.waitUntilIdle()
        let usage = try harness.usage(since: usageBefore)
        let after = try await pipeline.withStore { client in
            let work = try await RedisWork(client)
            try await compaction.resume(client)
            return work
        }
        return FullLoad(
            pushes: pushes, accepted: accepted, delivered: delivered, usage: usage, redisBefore: before,
            redisAfter: after)
    }

    /// As many pushes as the simulator then has accepted in all. Fails if none arrives for a minute.
    private func hasArrived(_ expected: Int) async throws {
        var (arrived, deadline) = (0, time.uptime + SingleBench.patience)
        while arrived < expected {
            try await time.sleep(for: SingleBench.pause)
            let now = try await pipeline.accepted()
            if now > arrived { deadline = time.uptime + SingleBench.patience }
            arrived = now
            guard time.uptime < deadline else { throw BenchError("\(expected - arrived) pushes did not arrive") }
        }
    }

    /// Milliseconds from the request of each sample to its receipt.
    private func latencies(at rate: Double, load: SingleLoad, to device: DeviceID) async throws -> [Double] {
        let count = Int(rate * duration.inSeconds)
        async let others: Void = load.post(count, pause: .seconds(1) / rate)
        let latencies = try await sample(device)
        try await others
        try await pipeline.waitUntilIdle()
        return latencies
    }

    private func sample(_ device: DeviceID) async throws -> [Double] {
        var receipts = try await PushReceipts(of: "huawei", harness: harness, http: pipeline.http)
        var posted: [(task: String, moment: Timestamp)] = []
        let start = time.uptime
        while time.uptime < start + duration {
            let moment = time.now
            let task = try await pipeline.postTask(#"{"devices":["\#(device)"],"message":{"body":"Hello"}}"#)
            posted.append((task, moment))
            try await receipts.poll()
            try await time.sleep(for: SingleBench.samplePause)
        }
        let deadline = time.uptime + SingleBench.patience
        while receipts.all.count < posted.count {
            guard time.uptime < deadline else {
                throw BenchError("\(posted.count - receipts.all.count) of \(posted.count) pushes did not arrive")
            }
            try await time.sleep(for: SingleBench.pause)
            try await receipts.poll()
        }
        return try receipts.latencies(since: posted)
    }
}
