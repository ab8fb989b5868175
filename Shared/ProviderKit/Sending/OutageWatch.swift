import PushModel
package import ServiceKit
package import Store
import Synchronization

/// Tracks outages in a sender: detects them, keeps pushes back while they last, and tests with one push whether they
/// are over. All senders share the state in the store; each reads it at most once a second.
package final class OutageWatch: Sendable {
    package enum Passage: Sendable, Equatable {
        case open
        /// One push may be sent, and its outcome must be noted.
        case probe
        case paused(Duration)
    }

    private struct State {
        /// End of each pause, as uptime; an outage stays here until its probe has succeeded.
        var pauses: [ProviderRoute: Duration] = [:]
        var detectors: [ProviderRoute: OutageDetector] = [:]
        var readAt: Duration?
        var isReading = false
        /// Counts changes, so that an older reading does not undo them.
        var changes = 0
    }

    private static let readInterval = Duration.seconds(1)
    /// The pause if the store does not say whether a probe may be sent.
    private static let unknownPause = Duration.seconds(5)
    private let store: any ProviderOutages
    private let pauses: OutagePauses
    private let probeLease: Duration
    private let time: any TimeSource
    private let random: any RandomSource
    private let log: Log
    private let gauge: Gauge
    private let state = Mutex(State())
    private let hasRead = OneTimeEvent()

    /// `probeLease` must be longer than a push takes.
    package init(
        _ store: any ProviderOutages, pauses: OutagePauses = OutagePauses(), probeLease: Duration,
        time: any TimeSource, random: any RandomSource, log: Log, metrics: Metrics
    ) {
        self.store = store
        self.pauses = pauses
        self.probeLease = probeLease
        self.time = time
        self.random = random
        self.log = log
        gauge = metrics.gauge(.senderProviderOutages)
    }

    /// For `/readyz`: the known outages, empty if there are none. The service stays ready.
    package var detail: String {
        let routes = state.withLock { $0.pauses.keys.map { "\($0)" } }
        return routes.isEmpty ? "" : "outage of " + routes.sorted().joined(separator: ", ")
    }

    /// Remaining pause of a known outage.
    func pause(of route: ProviderRoute) -> Duration? {
        let now = time.uptime
        return state.withLock { $0.pauses[route] }.flatMap { $0 > now ? $0 - now : nil }
    }

    func passage(_ route: ProviderRoute) async -> Passage {
        await refresh()
        guard let end = state.withLock({ $0.pauses[route] }) else { return .open }
        let now = time.uptime
        guard now >= end else { return .paused(end - now) }
        do throws(StoreError) {
            switch try await store.probe(route, for: probeLease) {
            case .open:
                forget(route)
                return .open
            case .granted: return .probe
            case .refused(let wait):
                note(wait, of: route)
                return .paused(wait)
            }
        } catch {
            note(OutageWatch.unknownPause, of: route)
            return .paused(OutageWatch.unknownPause)
        }
    }

    /// Notes outcomes of pushes. During a known outage only its probe counts: pushes sent before say nothing new.
    func note(_ outcomes: [PushOutcome], route: ProviderRoute, isProbe: Bool) async {
        guard !route.provider.hasManyServers else {
            // Their only outage is that of the server of access tokens, which a push that was sent did not need.
            if isProbe { await end(route) }
            return
        }
        let batch = OutageDetector.Batch(outcomes, isOneRequest: route.provider.sharesRequests)
        if isProbe {
            if batch.hasWorked {
                await end(route)
            } else {
                _ = await extend(route, isProbe: true, reason: "probe failed")
            }
            return
        }
        let now = time.uptime
        let hasBegun = state.withLock { state in
            guard state.pauses[route] == nil else { return false }
            return state.detectors[route, default: OutageDetector()].note(batch, at: now)
        }
        if hasBegun { _ = await extend(route, isProbe: false, reason: "pushes fail") }
    }

    /// The probe was not sent; if the store does not record that, the next one waits until the lease expires.
    func giveBackProbe(_ route: ProviderRoute) async {
        try? await store.giveBackProbe(route)
    }

    /// The provider is unavailable; returns how long to wait.
    func fail(_ route: ProviderRoute, isProbe: Bool, reason: String) async -> Duration {
        let now = time.uptime
        if !isProbe, let end = state.withLock({ $0.pauses[route] }), now < end { return end - now }
        return await extend(route, isProbe: isProbe, reason: reason)
    }

    private func extend(_ route: ProviderRoute, isProbe: Bool, reason: String) async -> Duration {
        let jitter = random.duration(in: .zero ... .seconds(1)) / .seconds(1)
        var pause = pauses.first
        do throws(StoreError) {
            pause = try await store.extend(route, by: pauses, jitter: jitter, isProbe: isProbe)
        } catch {
            log.warning(
                "outage not shared with other senders", [.app: route.app.text, .error: "\(error)"])
        }
        if note(pause, of: route) {
            log.warning(
                "provider outage started; its devices wait",
                [.app: route.app.text, .provider: route.provider.name, .reason: reason])
        }
        return pause
    }

    private func end(_ route: ProviderRoute) async {
        // If the store does not record it, the next push asks for another probe.
        try? await store.end(route)
        forget(route)
    }

    /// Returns true if the outage was not known before.
    @discardableResult
    private func note(_ pause: Duration, of route: ProviderRoute) -> Bool {
        let end = time.uptime + pause
        return change { state in
            state.detectors[route] = nil
            return state.pauses.updateValue(end, forKey: route) == nil
        }
    }

    private func forget(_ route: ProviderRoute) {
        let wasKnown = change { state in
            state.detectors[route] = nil
            return state.pauses.removeValue(forKey: route) != nil
        }
        if wasKnown { logEnd(of: route) }
    }

    private func change(_ body: (inout State) -> Bool) -> Bool {
        state.withLock { state in
            state.changes += 1
            defer { gauge.set(state.pauses.count) }
            return body(&state)
        }
    }

    /// The first pushes of a process wait for the store; later ones use the last reading.
    private func refresh() async {
        let now = time.uptime
        let (isDue, isFirst) = state.withLock { state -> (Bool, Bool) in
            let isDue = !state.isReading && state.readAt.map { now - $0 >= OutageWatch.readInterval } != false
            if isDue { state.isReading = true }
            return (isDue, state.readAt == nil)
        }
        if isFirst {
            if isDue { await read() } else { await hasRead.wait() }
        } else if isDue {
            Task { await read() }
        }
    }

    private func read() async {
        let changes = state.withLock { $0.changes }
        // A slow answer does not extend a pause: the store decides on each probe.
        let now = time.uptime
        let outages = try? await store.read()
        let ended = state.withLock { state -> [ProviderRoute] in
            state.isReading = false
            state.readAt = now
            guard let outages, state.changes == changes else { return [] }
            let ended = state.pauses.keys.filter { outages[$0] == nil }
            for route in ended { state.pauses[route] = nil }
            for (route, left) in outages { state.pauses[route] = now + left }
            gauge.set(state.pauses.count)
            return ended
        }
        hasRead.happen()
        for route in ended { logEnd(of: route) }
    }

    private func logEnd(of route: ProviderRoute) {
        log.info("provider outage ended", [.app: route.app.text, .provider: route.provider.name])
    }
}
