import CommandKit
import JSONKit
import PushModel
import ServiceKit

/// An update of a Live Activity whose simulated phones share a channel: the number of requests that Apple gets.
struct ActivityChannelBench {
    private static let activity = "channel"
    private static let phones = 1_000
    private static let pause = Duration.milliseconds(10)
    /// For registrations, and for a state to reach the phones.
    private static let patience = Duration.seconds(120)

    /// Without other devices of Apple: the start is for all.
    let pipeline: PipelineBench

    private var harness: LocalHarness { pipeline.harness }
    private var time: SystemTimeSource { SystemTimeSource() }

    func run() async throws -> [BenchFigure] {
        pipeline.say("starting an activity with a channel on \(ActivityChannelBench.phones) phones")
        try await addPhones()
        try await pipeline.isClosed(try await start())
        try await wait("start the activity") { $0["sums"]?.count("starts") == ActivityChannelBench.phones }
        // The channel becomes a target once the reporter has registered it.
        try await waitForChannel()
        try await pipeline.waitUntilIdle()
        let before = try await pipeline.accepted()
        let task = try await onNativeThread("update") { [harness] in
            Result { try ActivityConnection(harness, activity: ActivityChannelBench.activity).update(to: 1) }
        }.get()
        try await pipeline.isClosed(task)
        try await wait("show the update") {
            ActivityChannelBench.phones(thatShow: 1, in: $0) == ActivityChannelBench.phones
        }
        try await pipeline.waitUntilIdle()
        let requests = try await pipeline.accepted() - before
        try await pipeline.http.delete("\(harness.simulator)/phones")
        return [
            BenchFigure(name: "activities.channel_update.requests", value: Double(requests), unit: "requests")
        ]
    }

    private func addPhones() async throws {
        let body = JSONText.object { json in
            json.member("count", ActivityChannelBench.phones)
            json.member("attributes_type", "Match")
            json.member("system", "18.0")
            json.member("report") { json in
                json.member("url", harness.url)
                json.member("key", harness.key.reveal())
            }
        }
        _ = try await pipeline.http.post("\(harness.simulator)/phones", body: body, type: "application/json")
        try await wait("register") { $0.count("reports_made") == ActivityChannelBench.phones }
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

    private func waitForChannel() async throws {
        let url = "\(harness.url)/v1/activities/\(ActivityChannelBench.activity)/devices"
        let deadline = time.uptime + ActivityChannelBench.patience
        while try await pipeline.http.get(url, key: harness.key)["devices"]?.elements?.isEmpty != false {
            guard time.uptime < deadline else { throw BenchError("the channel was not registered") }
            try await time.sleep(for: ActivityChannelBench.pause)
        }
    }

    /// Until the summary of all phones is as expected.
    private func wait(_ what: String, until isReached: (JSON) -> Bool) async throws {
        let deadline = time.uptime + ActivityChannelBench.patience
        while true {
            let summary = try await pipeline.http.get("\(harness.simulator)/phones/summary")
            if isReached(summary) { return }
            guard time.uptime < deadline else {
                throw BenchError("the phones did not \(what): \(summary.compactText)")
            }
            try await time.sleep(for: ActivityChannelBench.pause)
        }
    }

    private static func phones(thatShow step: Int, in summary: JSON) -> Int? {
        summary["content_states"]?.elements?.first { $0["content_state"]?.count("step") == step }?.count("phones")
    }
}
