package import ServiceKit
package import Store
import Synchronization

/// Outages in memory.
package final class MemoryProviderOutages: ProviderOutages, Revertible {
    private struct Outage {
        var until: Timestamp
        var level: Int
        var probeUntil: Timestamp
        var nomineeUntil: Timestamp
    }

    private let time: any TimeSource
    private let outages = Mutex<[ProviderRoute: Outage]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func read() -> [ProviderRoute: Duration] {
        let now = time.now
        return outages.withLock { outages in
            outages.filter { now < $0.value.until + ProviderOutageBounds.memory }.mapValues { $0.until - now }
        }
    }

    package func extend(
        _ route: ProviderRoute, by pauses: OutagePauses, jitter: Double, isProbe: Bool
    ) -> Duration {
        let now = time.now
        return outages.withLock { outages in
            var level = 0
            if let outage = outages[route], now < outage.until + ProviderOutageBounds.memory {
                if now < outage.until { return outage.until - now }
                if !isProbe, now < outage.probeUntil { return ProviderOutageBounds.probePause }
                level = min(outage.level + 1, ProviderOutageBounds.levelMaximum)
            }
            let ceiling = min(pauses.longest, pauses.first * (1 << level))
            // The returned and the stored value must be equal, and timestamps have no fractions of milliseconds.
            let pause = Duration.milliseconds((ceiling / 2 + ceiling / 2 * jitter).wholeMilliseconds)
            outages[route] = Outage(until: now + pause, level: level, probeUntil: now, nomineeUntil: now)
            return pause
        }
    }

    package func probe(_ route: ProviderRoute, for lease: Duration) -> ProbeVerdict {
        let now = time.now
        return outages.withLock { outages in
            guard let outage = outages[route], now < outage.until + ProviderOutageBounds.memory else { return .open }
            if now < outage.until { return .refused(outage.until - now) }
            if now < outage.probeUntil { return .refused(ProviderOutageBounds.probePause) }
            outages[route]?.probeUntil = now + lease
            return .granted
        }
    }

    package func giveBackProbe(_ route: ProviderRoute) {
        let now = time.now
        outages.withLock { outages in
            if outages[route] != nil { outages[route]?.probeUntil = now }
        }
    }

    package func end(_ route: ProviderRoute) {
        outages.withLock { $0[route] = nil }
    }

    package func nominate(_ route: ProviderRoute, for lease: Duration) -> Bool {
        let now = time.now
        return outages.withLock { outages in
            guard let outage = outages[route], now >= outage.until, now >= outage.nomineeUntil,
                now >= outage.probeUntil
            else { return false }
            outages[route]?.nomineeUntil = now + lease
            return true
        }
    }

    package func savedState() -> @Sendable () -> Void {
        let saved = outages.withLock { $0 }
        return { self.outages.withLock { $0 = saved } }
    }
}
