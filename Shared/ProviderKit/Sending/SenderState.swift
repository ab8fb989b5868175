import PushModel
package import ServiceKit
import Synchronization

/// One app's devices in one environment of a provider: where a wrong setting would show.
package struct DeletionWorld: Hashable, Sendable {
    let app: AppID
    let kind: PushProtocol
    let isSandbox: Bool
}

/// The breakers of all apps a sender serves.
package final class DeletionBreakers: Sendable {
    private let time: any TimeSource
    private let settings: DeletionBreaker.Settings
    private let breakers = Mutex<[DeletionWorld: DeletionBreaker]>([:])

    package init(_ settings: DeletionBreaker.Settings = DeletionBreaker.Settings(), time: any TimeSource) {
        self.settings = settings
        self.time = time
    }

    func note(_ world: DeletionWorld, delivered: Int, invalid: Int) {
        breakers.withLock { breakers in
            breakers[world, default: DeletionBreaker(settings)].noteDelivered(delivered, at: time.uptime)
            breakers[world, default: DeletionBreaker(settings)].noteInvalid(invalid, at: time.uptime)
        }
    }

    func allowsDeletion(_ world: DeletionWorld) -> Bool {
        breakers.withLock { $0[world]?.allowsDeletion(at: time.uptime) ?? false }
    }
}

/// Apps of which nothing can be sent until somebody mends their settings. One batch a minute goes out all the same, to
/// see whether somebody has.
package final class AppHalts: Sendable {
    private struct Key: Hashable {
        let app: AppID
        let kind: PushProtocol
    }

    private struct Halt {
        let reason: String
        var probeAt: Duration
    }

    private static let probing = Duration.seconds(60)
    private let time: any TimeSource
    private let log: Log
    private let halts = Mutex<[Key: Halt]>([:])
    private let gauge: Gauge

    package init(time: any TimeSource, log: Log, metrics: Metrics) {
        self.time = time
        self.log = log
        gauge = metrics.gauge(.senderAppsHalted)
    }

    /// The reason for which it is not to be sent now; nil also for the one who probes.
    func current(_ app: AppID, _ kind: PushProtocol) -> String? {
        halts.withLock { halts in
            guard let halt = halts[Key(app: app, kind: kind)] else { return nil }
            guard time.uptime >= halt.probeAt else { return halt.reason }
            halts[Key(app: app, kind: kind)]?.probeAt = time.uptime + AppHalts.probing
            return nil
        }
    }

    func halt(_ app: AppID, _ kind: PushProtocol, reason: String) {
        let isNew = halts.withLock { halts in
            let known = halts[Key(app: app, kind: kind)]
            halts[Key(app: app, kind: kind)] = Halt(reason: reason, probeAt: time.uptime + AppHalts.probing)
            gauge.set(halts.count)
            return known?.reason != reason
        }
        guard isNew else { return }
        log.error("an app cannot send; its devices wait", [.app: app.text, .reason: reason])
    }

    func clear(_ app: AppID, _ kind: PushProtocol) {
        let wasHalted = halts.withLock { halts in
            let known = halts.removeValue(forKey: Key(app: app, kind: kind)) != nil
            gauge.set(halts.count)
            return known
        }
        if wasHalted { log.info("an app sends again", [.app: app.text]) }
    }

    /// For `/readyz`: what is halted is named, and the service is ready all the same, since other apps go on. Empty when
    /// nothing is.
    package var detail: String {
        let halted = halts.withLock { $0 }
        return halted.map { "\($0.key.app) (\($0.key.kind.name)): \($0.value.reason)" }.sorted().joined(separator: "; ")
    }
}

/// Numbers of claims, given out once each.
final class ClaimNumbers: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 {
        last.wrappingAdd(1, ordering: .relaxed).newValue
    }
}
