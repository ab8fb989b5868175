import Bus
import ServiceKit
import Synchronization

/// Failures of all broker connections of one bus: many clients with several connections each notice the same outage.
/// Called from threads of the library and from polling threads.
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

    /// Logs the end of an outage.
    func checkRecovery() {
        write(outage.withLock { [now = time.uptime] in $0.isOpen ? $0.checkRecovery(at: now) : nil })
    }

    private func write(_ line: BrokerOutage.Line?) {
        switch line {
        case nil: return
        case .began(let reason):
            log.warning("broker connections failing: counting further failures", [.error: reason])
        case .lasts(let reason, let failures, let since):
            log.warning(
                "broker connections still failing",
                [.error: reason, .count: "\(failures)", .duration: DurationText.print(since)])
        case .ended(let reason, let failures, let lasted):
            log.info(
                "broker connections recovered",
                [.error: reason, .count: "\(failures)", .duration: DurationText.print(lasted)])
        }
    }
}
