package import ServiceKit
package import Store
import Synchronization

/// What is known of outages where pushes are not sent, but kept back: read at most once a second, and only by who asks.
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

    /// What is left of each outage's pause; zero or less while it waits for its probe. A store that does not answer knows
    /// of none: then pushes go on, and senders keep them back.
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

    /// Whether a device may be released that finds out whether an outage is over.
    package func nominate(_ route: ProviderRoute, for lease: Duration) async -> Bool {
        (try? await store.nominate(route, for: lease)) ?? false
    }
}
