import PushModel
package import ServiceKit
import Synchronization

/// Ways on which nothing of an app can be sent until somebody mends its settings. One batch a minute goes out all the
/// same, to see whether somebody has.
package final class AppHalts: Sendable {
    private struct Halt {
        let reason: String
        var probeAt: Duration
    }

    private static let probing = Duration.seconds(60)
    /// Devices that are put aside come back within minutes: a way that nobody asks for any more has none.
    private static let memory = Duration.seconds(3_600)
    private let time: any TimeSource
    private let log: Log
    private let halts = Mutex<[SendingWay: Halt]>([:])
    private let gauge: Gauge

    package init(time: any TimeSource, log: Log, metrics: Metrics) {
        self.time = time
        self.log = log
        gauge = metrics.gauge(.senderAppsHalted)
    }

    /// The reason for which it is not to be sent now; nil also for the one who probes.
    func current(_ way: SendingWay) -> String? {
        halts.withLock { halts in
            guard let halt = halts[way] else { return nil }
            guard time.uptime >= halt.probeAt else { return halt.reason }
            halts[way]?.probeAt = time.uptime + AppHalts.probing
            return nil
        }
    }

    func halt(_ way: SendingWay, reason: String) {
        let known = change {
            $0.updateValue(Halt(reason: reason, probeAt: time.uptime + AppHalts.probing), forKey: way)
        }
        guard known?.reason != reason else { return }
        log.error(
            "an app cannot send; its devices wait", [.app: way.app.text, .provider: way.destination, .reason: reason])
    }

    func clear(_ way: SendingWay) {
        guard change({ $0.removeValue(forKey: way) }) != nil else { return }
        log.info("an app sends again", [.app: way.app.text, .provider: way.destination])
    }

    /// For `/readyz`: what is halted is named, and the service is ready all the same, since other apps go on. Empty when
    /// nothing is.
    package var detail: String {
        let halted = change { $0 }
        return halted.map { "\($0.key): \($0.value.reason)" }.sorted().joined(separator: "; ")
    }

    private func change<Result: Sendable>(_ body: (inout [SendingWay: Halt]) -> Result) -> Result {
        halts.withLock { halts in
            let now = time.uptime
            if halts.values.contains(where: { now - $0.probeAt >= AppHalts.memory }) {
                halts = halts.filter { now - $0.value.probeAt < AppHalts.memory }
            }
            defer { gauge.set(Set(halts.keys.map(\.app)).count) }
            return body(&halts)
        }
    }
}
