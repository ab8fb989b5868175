import CommandKit
import Glibc
import JSONKit
import PushModel
import ServiceKit

/// Many updates a second of a Live Activity on simulated phones, which register their tokens as an app does.
struct ActivityBurst {
    private struct Posted {
        let step: Int
        let time: Duration
        let task: String
    }

    /// The latest state that any phone shows, from a time on.
    private struct Shown {
        let step: Int
        let time: Duration
    }

    private static let activity = "burst"
    private static let count = 1_000
    private static let updatesPerSecond = 20
    private static let connections = 2
    private static let pause = Duration.milliseconds(5)

    let pipeline: PipelineBench
    let seconds: Int

    private var phones: SimulatedPhones { SimulatedPhones(pipeline: pipeline) }
    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }
    private var updates: Int { seconds * ActivityBurst.updatesPerSecond }

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(ActivityBurst.count) phones that run an activity")
        try await phones.add(ActivityBurst.count, running: ActivityBurst.activity)
        try await pipeline.waitUntilIdle()
        pipeline.say("\(ActivityBurst.updatesPerSecond) updates a second for \(seconds) s")
        let before = try harness.usage()
        async let shown = watch()
        let posted = try await post()
        let states = try await shown
        try await pipeline.waitUntilIdle()
        let used = try harness.usage(since: before).cpuSeconds
        return try figures(of: posted, shown: states, summary: try await phones.summary()) + [
            BenchFigure(name: "activities.burst.cpu_seconds", value: used, unit: "CPU-seconds")
        ]
    }

    /// All but the last update from several connections. The last is posted when the others are answered, so that it is
    /// certain to be the newest.
    private func post() async throws -> [Posted] {
        let began = time.uptime
        let connections = ActivityBurst.connections
        var posted = try await Concurrently.run(connections, atOnce: connections) { number in
            try await post(Array(stride(from: number, to: updates, by: connections)), since: began)
        }.flatMap(\.self)
        posted += try await post([updates], since: began)
        return posted.sorted { $0.step < $1.step }
    }

    /// Over one connection, each at its time.
    private func post(_ steps: [Int], since began: Duration) async throws -> [Posted] {
        try await onNativeThread("updates") { [harness, time] in
            Result {
                let connection = try ActivityConnection(harness, activity: ActivityBurst.activity)
                return try steps.map { step in
                    let due = began + .seconds(1) * step / ActivityBurst.updatesPerSecond
                    let wait = due - time.uptime
                    if wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
                    let start = time.uptime
                    return Posted(step: step, time: start, task: try connection.update(to: step))
                }
            }
        }.get()
    }

    /// Until a phone shows the last state, or takes too long to.
    private func watch() async throws -> [Shown] {
        let deadline = time.uptime + .seconds(seconds) + SimulatedPhones.patience
        var shown: [Shown] = []
        while shown.last?.step != updates, time.uptime < deadline {
            let newest = SimulatedPhones.states(in: try await phones.summary()).map(\.step).max() ?? -1
            if newest > shown.last?.step ?? -1 { shown.append(Shown(step: newest, time: time.uptime)) }
            try await time.sleep(for: ActivityBurst.pause)
        }
        return shown
    }

    private func figures(of posted: [Posted], shown: [Shown], summary: JSON) throws -> [BenchFigure] {
        guard let pushes = summary["sums"]?.count("received"), let older = summary["sums"]?.count("arrived_older"),
            let worst = summary["maxima"]?.count("worst_second"), let first = posted.first, let last = posted.last
        else { throw BenchError("the simulator does not report the pushes: \(summary.compactText)") }
        let current = SimulatedPhones.count(thatShow: updates, in: summary)
        let latencies = ActivityBurst.latencies(of: posted, shown: shown)
        let rate = Double(updates) / (last.time - first.time).inSeconds
        return [
            BenchFigure(name: "activities.burst.rate", value: rate, unit: "updates/s"),
            BenchFigure(name: "activities.burst.tasks", value: Double(Set(posted.map(\.task)).count), unit: "tasks"),
            BenchFigure(name: "activities.burst.pushes", value: Double(pushes), unit: "pushes"),
            BenchFigure(name: "activities.burst.p50", value: latencies.percentile(50), unit: "ms"),
            BenchFigure(name: "activities.burst.p99", value: latencies.percentile(99), unit: "ms"),
            BenchFigure(name: "activities.burst.stale", value: Double(ActivityBurst.count - current), unit: "phones"),
            BenchFigure(name: "activities.burst.worst", value: Double(worst), unit: "pushes/s"),
            BenchFigure(name: "activities.burst.arrived_older", value: Double(older), unit: "pushes"),
        ]
    }

    /// Milliseconds from posting each update until a phone shows its state or a later one. Both in the order of steps.
    private static func latencies(of posted: [Posted], shown: [Shown]) -> [Double] {
        var (latencies, next): ([Double], Int) = ([], 0)
        for update in posted {
            while next < shown.count, shown[next].step < update.step { next += 1 }
            guard next < shown.count else { break }
            latencies.append((shown[next].time - update.time) / .milliseconds(1))
        }
        return latencies
    }
}
