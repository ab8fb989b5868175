import Bus
import RegistryLog
import ServiceKit
import Topics

/// Tells how far every group of the house is behind, as the brokers know it: also one of which no process runs. Each
/// process of ingest-api tells the same. While the brokers do not answer, the figures stay as they were.
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

    /// Event streams read without a group, and so do those who keep the topics that are logs, but for the registry.
    static let readers: [BusReader] =
        Topics.all.filter { $0.kind == .work }.flatMap { topic in
            topic.consumers.filter { $0 != "event-stream" }.flatMap { group in
                topic.channels.map { BusReader($0, group: group) }
            }
        } + [BusReader(Topics.registry.channel, group: RegistryProjector.group)]

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
                for (reader, lag) in try await bus.backlog(of: GroupLag.readers) {
                    environment.metrics.gauge(
                        .busGroupLag, labels: ["topic": reader.channel.name, "group": reader.group]
                    ).set(lag)
                }
                isAnswered = true
            } catch {
                if isAnswered { environment.log.warning("the lag of groups is not known", [.error: "\(error)"]) }
                isAnswered = false
            }
            _ = await stopped.wait(atMost: interval, time: environment.time)
            if stopped.hasHappened { return }
        }
    }
}
