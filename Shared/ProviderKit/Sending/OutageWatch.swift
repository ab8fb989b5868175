import PushModel
package import ServiceKit
package import Store
import Synchronization

/// What a sender knows of outages: notices them, keeps pushes back while they last, and finds out with one push when
/// they are over. All senders share what the store says; each asks it at most once a second.
package final class OutageWatch: Sendable {
    package enum Passage: Sendable, Equatable {
        case open
        /// One push may go, and what comes of it is to be told.
        case probe
        case paused(Duration)
    }

    private struct State {
        /// When each pause ends, in uptime; an outage stays here until its probe has succeeded.
        var pauses: [ProviderRoute: Duration] = [:]
        var detectors: [ProviderRoute: OutageDetector] = [:]
        var readAt: Duration?
        var isReading = false
        /// Counts changes, so that an older reading does not undo them.
        var changes = 0
    }

    private static let readInterval = Duration.seconds(1)
    /// When the store does not say whether a probe may go.
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

    /// For `/readyz`: the outages that are known, empty for none. The service is ready all the same.
    package var detail: String {
        let routes = state.withLock { $0.pauses.keys.map { "\($0)" } }
        return routes.isEmpty ? "" : "outage of " + routes.sorted().joined(separator: ", ")
    }

    /// What is left of the pause of an outage that is known.
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

    /// What came of pushes. While an outage is known only its probe counts: what was under way before says nothing new.
    func note(_ outcomes: [PushOutcome], route: ProviderRoute, isProbe: Bool) async {
        let batch = OutageDetector.Batch(outcomes, isOneRequest: route.provider == .huawei)
        if isProbe {
            if batch.hasWorked {
                await end(route)
            } else {
                _ = await extend(route, isProbe: true, reason: "a probe failed")
            }
            return
        }
        let now = time.uptime
        let hasBegun = state.withLock { state in
            guard state.pauses[route] == nil else { return false }
            return state.detectors[route, default: OutageDetector()].note(batch, at: now)
        }
        if hasBegun { _ = await extend(route, isProbe: false, reason: "its answers are failures") }
    }

    /// The probe was not sent; without the store's word the next one waits for the lease's end.
    func giveBackProbe(_ route: ProviderRoute) async {
        try? await store.giveBackProbe(route)
    }

    /// The provider cannot be asked at all; how long to wait.
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
                "an outage cannot be shared with other senders", [.app: route.app.text, .error: "\(error)"])
        }
        if note(pause, of: route) {
            log.warning(
                "a provider is in an outage; its devices wait",
                [.app: route.app.text, .provider: route.provider.name, .reason: reason])
        }
        return pause
    }

    private func end(_ route: ProviderRoute) async {
        // Should the store not hear of it, the next push asks for another probe.
        try? await store.end(route)
        forget(route)
    }

    /// Whether the outage was not known before.
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

    /// The first pushes of a process wait for the store's word; later ones take what was read before.
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
        // An answer that took its time makes no pause longer: the store has the last word on a probe.
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
        log.info("an outage is over", [.app: route.app.text, .provider: route.provider.name])
    }
}
