import Bus
import RegistryLog
import ServiceKit
import Topics

/// Publishes the lag of every consumer group as reported by the brokers, including groups without a running process.
/// Each process of ingest-api publishes the same values. While the brokers are unavailable, the metrics keep their
/// values.
final class GroupLag: Service {
    let name = "group lag"
    private let bus: any Bus
    private let environment: WorkerEnvironment
    private let interval: Duration
    private let stopped = OneTimeEvent()

    init(_ bus: any Bus, environment: WorkerEnvironment, interval: Duration = .seconds(10)) {
        self.bus = bus
        self.environment = environment
        self.interval = interval
    }

    /// Event streams have no group. Nor have the readers of log topics, except for those of receipts and the registry.
    static let readers: [BusReader] =
        Topics.all.filter { $0.kind == .work }.flatMap { topic in
            topic.consumers.filter { $0 != "event-stream" }.flatMap { group in
                topic.channels.map { BusReader($0, group: group) }
            }
        } + [
            BusReader(Topics.receipts.channel, group: "reporter"),
            BusReader(Topics.registry.channel, group: RegistryProjector.group),
        ]

    func run() async {
        let asking = Task { await askAgainAndAgain() }
        await stopped.wait()
        asking.cancel()
        await asking.value
    }

    func stop() {
        stopped.happen()
    }

    private func askAgainAndAgain() async {
        var isAnswered = true
        while !Task.isCancelled {
            do throws(BusError) {
                for (reader, progress) in try await bus.progress(of: GroupLag.readers) {
                    environment.metrics.gauge(
                        .busGroupLag, labels: ["topic": reader.channel.name, "group": reader.group]
                    ).set(progress.waiting)
                }
                isAnswered = true
            } catch {
                if isAnswered { environment.log.warning("lag of consumer groups unavailable", [.error: "\(error)"]) }
                isAnswered = false
            }
            _ = await stopped.wait(atMost: interval, time: environment.time)
            if stopped.hasHappened { return }
        }
    }
}
