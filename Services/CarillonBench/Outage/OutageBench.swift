import CommandKit
import JSONKit
import ServiceKit

/// A broadcast during an outage of its providers: the cost of waiting, and the recovery.
struct OutageBench {
    private static let providers = ["apns", "fcm"]
    private static let reasons = ["apns": "ServiceUnavailable", "fcm": "UNAVAILABLE"]
    private static let pause = Duration.milliseconds(100)
    /// The pipeline is at rest, except for probes, after this time without a change.
    private static let rest = Duration.seconds(20)
    private static let restDeadline = Duration.seconds(600)

    let pipeline: PipelineBench
    let outage: Duration

    private var harness: LocalHarness { pipeline.harness }

    func run() async throws -> [BenchFigure] {
        pipeline.say("registering \(pipeline.devices) devices")
        _ = try await pipeline.fill()
        for provider in OutageBench.providers { try await fail(provider) }
        pipeline.say("a push to every device during an outage of the providers")
        let started = SystemTimeSource().uptime
        let task = try await pipeline.postTask(
            #"{"audience":{"topic":"\#(SyntheticDevice.everyone)"},"message":{"title":"Hello","body":"World"}}"#)
        try await isAtRest()
        let reached = (SystemTimeSource().uptime - started).inSeconds
        pipeline.say("measuring the outage for \(DurationText.print(outage))")
        let (before, pushesBefore) = (try harness.usage(), try await pushes())
        let measured = SystemTimeSource().uptime
        try await SystemTimeSource().sleep(for: outage)
        let seconds = (SystemTimeSource().uptime - measured).inSeconds
        let (used, probes) = (try harness.usage(since: before), try await pushes() - pushesBefore)
        let own = used.filter { $0.name != "provider-simulator" }
        pipeline.say("the providers are back")
        let recovery = try await recover(task)
        return [
            BenchFigure(name: "outage.cpu_percent", value: own.cpuSeconds / seconds * 100, unit: "% of a core"),
            BenchFigure(name: "outage.recovery.seconds", value: recovery.last, unit: "s"),
            BenchFigure(name: "outage.recovery.first_seconds", value: recovery.first, unit: "s"),
            BenchFigure(name: "outage.rest_seconds", value: reached, unit: "s"),
            BenchFigure(name: "outage.pushes", value: Double(probes), unit: "pushes"),
        ]
            + own.map {
                BenchFigure(
                    name: "outage.cpu_percent.\($0.name)", value: $0.cpuSeconds / seconds * 100, unit: "% of a core")
            }
    }

    private func fail(_ provider: String) async throws {
        let rule = JSONText.object { json in
            json.member("provider", provider)
            json.member("kind", "answer")
            json.member("status", 503)
            if let reason = OutageBench.reasons[provider] { json.member("reason", reason) }
        }
        _ = try await pipeline.http.post("\(harness.simulator)/faults", body: rule, type: "application/json")
    }

    /// Removes all faults.
    private func recover() async throws {
        guard let port = harness.simulator.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw BenchError("\(harness.simulator) has no port")
        }
        let refusal = await onNativeThread("simulator-admin") {
            Result {
                try LoadConnection(port: port).post(Array("DELETE /faults HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            }
        }
        try refusal.get()
    }

    /// Number of pushes that the simulator has answered, with any status.
    private func pushes() async throws -> Int {
        let statistics = try await pipeline.http.get("\(harness.simulator)/stats")
        return OutageBench.providers.reduce(0) { $0 + (statistics[$1]?.count("requests") ?? 0) }
    }

    /// Probes continue, so only the CPU of the services shows that no work is done.
    private func isAtRest() async throws {
        let deadline = SystemTimeSource().uptime + OutageBench.restDeadline
        while SystemTimeSource().uptime < deadline {
            let (before, start) = (try harness.usage(), SystemTimeSource().uptime)
            try await SystemTimeSource().sleep(for: OutageBench.rest)
            let used = try harness.usage(since: before).cpuSeconds
            if used / (SystemTimeSource().uptime - start).inSeconds < 0.2 { return }
        }
        throw BenchError("the pipeline did not come to rest within \(DurationText.print(OutageBench.restDeadline))")
    }

    /// Seconds until the first and until the last push that was accepted.
    private func recover(_ task: String) async throws -> (first: Double, last: Double) {
        let before = try await pipeline.accepted()
        try await recover()
        let back = SystemTimeSource().uptime
        var first: Double?
        while true {
            let accepted = try await pipeline.accepted() - before
            let seconds = (SystemTimeSource().uptime - back).inSeconds
            if accepted > 0, first == nil { first = seconds }
            if accepted >= pipeline.devices {
                try await pipeline.isClosed(task)
                return (first ?? seconds, seconds)
            }
            try await SystemTimeSource().sleep(for: OutageBench.pause)
        }
    }
}
