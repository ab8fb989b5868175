import Bus
import ServiceKit
import Synchronization

/// The failures of all connections of one bus to its brokers: many clients with several connections each notice the same
/// outage. Called from threads of the library and from those that poll.
final class BrokerFailures: Sendable {
    private let outage = Mutex(BrokerOutage())
    private let log: Log
    private let time: any TimeSource

    init(_ environment: WorkerEnvironment) {
        log = environment.log
        time = environment.time
    }

    func fail(_ reason: String) {
        log.debug(reason, [.librdkafka: "FAIL"])
        write(outage.withLock { [now = time.uptime] in $0.fail(reason, at: now) })
    }

    /// Tells of an end.
    func look() {
        write(outage.withLock { [now = time.uptime] in $0.isOpen ? $0.look(at: now) : nil })
    }

    private func write(_ line: BrokerOutage.Line?) {
        switch line {
        case nil: return
        case .began(let reason):
            log.warning("brokers fail: further failures are counted", [.error: reason])
        case .lasts(let reason, let failures, let since):
            log.warning(
                "brokers still fail",
                [.error: reason, .count: "\(failures)", .duration: DurationText.print(since)])
        case .ended(let reason, let failures, let lasted):
            log.info(
                "brokers fail no more",
                [.error: reason, .count: "\(failures)", .duration: DurationText.print(lasted)])
        }
    }
}
