import ProviderKit
import ServiceKit

/// The windows of all servers that an app's pushes go to. Pure: times are uptimes passed in.
struct OriginTraffic: Sendable {
    private let settings: OriginSettings
    private let largeSettings: OriginSettings
    private var windows: [PushOrigin: OriginWindow] = [:]
    private var probes = 0
    private var forgotten: [PushOrigin] = []

    /// `inFlightMaximum` is that of the app.
    init(_ settings: OriginSettings = OriginSettings(), inFlightMaximum: Int = 1_000) {
        self.settings = settings
        largeSettings = settings.forLargeServer(inFlightMaximum: inFlightMaximum)
    }

    var count: Int { windows.count }

    /// True if the server has answered a push without an error, as far as is remembered.
    func hasWorked(_ origin: PushOrigin) -> Bool { windows[origin]?.hasWorked == true }

    /// The servers that were failing when they were forgotten, since the last call.
    mutating func takeForgotten() -> [PushOrigin] {
        defer { forgotten = [] }
        return forgotten
    }

    /// Asks for `count` pushes, and is answered for at most as many.
    mutating func ask(_ count: Int, to origin: PushOrigin, at now: Duration) -> OriginWindow.Answer {
        if windows[origin] == nil {
            if windows.count >= settings.originsMaximum { forgetSome(at: now) }
            // All of them have pushes in flight.
            guard windows.count < settings.originsMaximum else { return .refused(.busy(OriginRefusal.retry)) }
        }
        let mayProbe = probes < settings.probesMaximum
        var window = windows[origin] ?? makeWindow(origin)
        let answer = window.ask(count, mayProbe: mayProbe, at: now)
        windows[origin] = window
        if case .go(_, isProbe: true) = answer { probes += 1 }
        return answer
    }

    /// Notes the outcomes of pushes that were let go together, or of a part of them.
    @discardableResult
    mutating func settle(
        _ outcomes: [PushOutcome], of origin: PushOrigin, isProbe: Bool, at now: Duration, random: any RandomSource
    ) -> OriginWindow.Change? {
        if isProbe { probes -= 1 }
        precondition(windows[origin] != nil, "a server with pushes in flight is not forgotten")
        return windows[origin]?.settle(outcomes, isProbe: isProbe, at: now, random: random)
    }

    private func makeWindow(_ origin: PushOrigin) -> OriginWindow {
        OriginWindow(settings.large.contains(origin) ? largeSettings : settings)
    }

    /// Drops an eighth, so that a full table is not searched for each new server: those first whose loss costs nothing,
    /// and then those that were not used for the longest time.
    private mutating func forgetSome(at now: Duration) {
        let idle = windows.filter { $0.value.inFlight == 0 }
        let order = idle.map { (origin: $0.key, isKept: !$0.value.isUnremarkable(at: now), use: $0.value.lastUse) }
            .sorted { ($0.isKept ? 1 : 0, $0.use) < ($1.isKept ? 1 : 0, $1.use) }
        for entry in order.prefix(max(1, settings.originsMaximum / 8)) {
            let window = windows.removeValue(forKey: entry.origin)
            if window?.isFailing == true { forgotten.append(entry.origin) }
        }
    }
}
