import CommandKit
import JSONKit
import PushModel
import ServiceKit

/// Phones of the provider simulator that report their tokens to the pipeline as an app does.
struct SimulatedPhones {
    private static let pause = Duration.milliseconds(5)
    /// For registrations, and for a state to reach the phones.
    static let patience = Duration.seconds(120)

    let pipeline: PipelineBench

    private var url: String { "\(pipeline.harness.simulator)/phones" }
    private var time: SystemTimeSource { SystemTimeSource() }

    /// Adds phones, and waits until each has reported its device, and also the activity if it runs one already.
    func add(_ count: Int, running activity: String? = nil) async throws {
        let body = JSONText.object { json in
            json.member("count", count)
            if let activity { json.member("activity", activity) }
            json.member("attributes_type", "Match")
            json.member("system", "18.0")
            json.member("report") { json in
                json.member("url", pipeline.harness.url)
                json.member("key", pipeline.harness.key.reveal())
            }
        }
        _ = try await pipeline.http.post(url, body: body, type: "application/json")
        let reports = activity == nil ? count : 2 * count
        try await wait("register") { summary in
            guard summary.count("reports_failed") == 0 else {
                throw BenchError("the phones were not registered: \(summary.compactText)")
            }
            return summary.count("reports_made") == reports
        }
    }

    func remove() async throws {
        try await pipeline.http.delete(url)
    }

    func summary() async throws -> JSON {
        try await pipeline.http.get("\(url)/summary")
    }

    /// Until the summary is as expected.
    func wait(_ what: String, until isReached: (JSON) throws -> Bool) async throws {
        let deadline = time.uptime + SimulatedPhones.patience
        while true {
            let summary = try await summary()
            if try isReached(summary) { return }
            guard time.uptime < deadline else {
                throw BenchError("the phones did not \(what): \(summary.compactText)")
            }
            try await time.sleep(for: SimulatedPhones.pause)
        }
    }

    /// The states that phones show, and how many phones.
    static func states(in summary: JSON) -> [(step: Int, phones: Int)] {
        (summary["content_states"]?.elements ?? []).compactMap { state in
            guard let step = state["content_state"]?.count("step"), let phones = state.count("phones") else {
                return nil
            }
            return (step, phones)
        }
    }

    static func count(thatShow step: Int, in summary: JSON) -> Int {
        states(in: summary).first { $0.step == step }?.phones ?? 0
    }
}
