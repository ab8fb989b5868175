package import ServiceKit
package import Store
import Synchronization

/// Known outages, for services that hold pushes back instead of sending them: read on demand, at most once a second.
package final class OutageView: Sendable {
    private struct Reading {
        var pauses: [ProviderRoute: Duration] = [:]
        var readAt: Duration?
    }

    private static let readInterval = Duration.seconds(1)
    private let store: any ProviderOutages
    private let time: any TimeSource
    private let reading = Mutex(Reading())

    package init(_ store: any ProviderOutages, time: any TimeSource) {
        self.store = store
        self.time = time
    }

    /// Remaining pause of each outage; zero or less while it waits for its probe. If the store does not answer, no
    /// outage is known: pushes continue, and senders keep them back.
    package func outages() async -> [ProviderRoute: Duration] {
        let now = time.uptime
        let known = reading.withLock { reading in
            reading.readAt.flatMap { now - $0 < OutageView.readInterval ? reading.pauses : nil }
        }
        if let known { return known.mapValues { $0 - now } }
        let outages = (try? await store.read()) ?? [:]
        let readAt = time.uptime
        reading.withLock { $0 = Reading(pauses: outages.mapValues { readAt + $0 }, readAt: readAt) }
        return outages
    }

    /// True if a device may be released to test whether an outage is over.
    package func nominate(_ route: ProviderRoute, for lease: Duration) async -> Bool {
        (try? await store.nominate(route, for: lease)) ?? false
    }
}
