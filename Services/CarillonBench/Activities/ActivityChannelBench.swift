import CommandKit
import JSONKit
import PushModel
import ServiceKit

/// An update of a Live Activity whose simulated phones share a channel: the number of requests that Apple gets.
struct ActivityChannelBench {
    private static let activity = "channel"
    private static let count = 1_000
    private static let pause = Duration.milliseconds(10)

    /// Without other devices of Apple: the start is for all.
    let pipeline: PipelineBench

    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }

    func run() async throws -> [BenchFigure] {
        let (phones, count) = (SimulatedPhones(pipeline: pipeline), ActivityChannelBench.count)
        pipeline.say("starting an activity with a channel on \(count) phones")
        try await phones.add(count)
        try await pipeline.isClosed(try await start())
        try await phones.wait("start the activity") { $0["sums"]?.count("starts") == count }
        try await waitForChannel()
        try await pipeline.waitUntilIdle()
        let before = try await pipeline.accepted()
        try await pipeline.isClosed(try await update())
        try await phones.wait("show the update") { SimulatedPhones.count(thatShow: 1, in: $0) == count }
        try await pipeline.waitUntilIdle()
        let requests = try await pipeline.accepted() - before
        try await phones.remove()
        return [
            BenchFigure(name: "activities.channel_update.requests", value: Double(requests), unit: "requests")
        ]
    }

    /// Returns the task.
    private func start() async throws -> String {
        let body = """
            {"id":"\(ActivityChannelBench.activity)","type":"Match","updates":"channel","audience":{"all":true},\
            "content_state":{"step":0},"alert":{"title":"Match"}}
            """
        let answer = try await pipeline.http.post(
            "\(harness.url)/v1/activities", body: body, type: "application/json", key: harness.key)
        guard let task = answer["task"]?.text else { throw BenchError("the API response contains no task") }
        return task
    }

    private func update() async throws -> String {
        try await onNativeThread("update") { [harness] in
            Result { try ActivityConnection(harness, activity: ActivityChannelBench.activity).update(to: 1) }
        }.get()
    }

    /// The channel gets updates once the reporter has registered it.
    private func waitForChannel() async throws {
        let url = "\(harness.url)/v1/activities/\(ActivityChannelBench.activity)/devices"
        let deadline = time.uptime + SimulatedPhones.patience
        while try await pipeline.http.get(url, key: harness.key)["devices"]?.elements?.isEmpty != false {
            guard time.uptime < deadline else { throw BenchError("the channel was not registered") }
            try await time.sleep(for: ActivityChannelBench.pause)
        }
    }
}
