import PushModel
package import ServiceKit
import Synchronization

/// Routes on which nothing of an app can be sent until its settings are fixed. One batch a minute is still sent, to
/// test whether they are.
package final class AppHalts: Sendable {
    private struct Halt {
        let since: Duration
        var reason: String
        var probeAt: Duration
    }

    /// What to do with the devices of a halted route.
    enum Order: Equatable {
        /// Park them for a while.
        case wait(reason: String)
        /// End them: the route has been halted for too long.
        case giveUp(reason: String)
    }

    private static let probing = Duration.seconds(60)
    /// Parked devices come back within minutes: a route that was not used for this long has none.
    private static let memory = Duration.seconds(3_600)
    private let patience: Duration
    private let time: any TimeSource
    private let log: Log
    private let halts = Mutex<[SendingRoute: Halt]>([:])
    private let gauge: Gauge

    package init(
        patience: Duration, time: any TimeSource, log: Log, metrics: Metrics
    ) {
        self.patience = patience
        self.time = time
        self.log = log
        gauge = metrics.gauge(.senderAppsHalted)
    }

    /// Reads from the environment how long devices wait.
    package static func patience(environment: inout EnvironmentReader) -> Duration {
        environment.duration(
            "CARILLON_SENDER_CREDENTIALS_PATIENCE", default: .seconds(3_600),
            in: .seconds(60) ... .seconds(28 * 86_400),
            meaning:
                "How long devices wait while their app's credentials are refused or cannot be read; after that they end "
                + "as failed, until the provider accepts the app's pushes again.")
    }

    /// The order for the devices of a halted route; nil also for the caller that probes.
    func current(_ route: SendingRoute) -> Order? {
        halts.withLock { halts in
            guard let halt = halts[route] else { return nil }
            guard time.uptime >= halt.probeAt else { return order(halt) }
            halts[route]?.probeAt = time.uptime + AppHalts.probing
            return nil
        }
    }

    @discardableResult
    func halt(_ route: SendingRoute, reason: String) -> Order {
        let now = time.uptime
        let (known, order) = change { halts -> (String?, Order) in
            let known = halts[route]
            let halt = Halt(since: known?.since ?? now, reason: reason, probeAt: now + AppHalts.probing)
            halts[route] = halt
            return (known?.reason, self.order(halt))
        }
        if known != reason {
            log.error(
                "app halted; its devices wait",
                [.app: route.app.text, .provider: route.destination, .reason: reason])
        }
        return order
    }

    private func order(_ halt: Halt) -> Order {
        time.uptime - halt.since < patience ? .wait(reason: halt.reason) : .giveUp(reason: halt.reason)
    }

    func clear(_ route: SendingRoute) {
        guard change({ $0.removeValue(forKey: route) }) != nil else { return }
        log.info("app resumed", [.app: route.app.text, .provider: route.destination])
    }

    /// For `/readyz`: names the halted routes. The service stays ready, since other apps continue. Empty if there are
    /// none.
    package var detail: String {
        let halted = change { $0 }
        return halted.map { "\($0.key): \($0.value.reason)" }.sorted().joined(separator: "; ")
    }

    private func change<Result: Sendable>(_ body: (inout [SendingRoute: Halt]) -> Result) -> Result {
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
