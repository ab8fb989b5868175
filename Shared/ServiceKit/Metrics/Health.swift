import Synchronization

/// The state behind `/healthz` and `/readyz`.
///
/// Alive: every work loop has ticked within its limit; a service that is not alive should be restarted. Ready: every
/// check passes; a service that is not ready should get no work, and `/readyz` lists the reasons.
package final class Health: Sendable {
    package enum Readiness: Equatable, Sendable {
        case ready
        case notReady(String)
    }

    private struct State {
        var pulses: [(name: String, pulse: Pulse)] = []
        var checks: [ReadinessCheck] = []
        var remarks: [(name: String, text: @Sendable () -> String?)] = []
        var isStarting = false
        var isDraining = false
    }

    private let state = Mutex(State())
    private let time: any TimeSource
    private let checkDeadline: Duration

    /// A check that does not finish within `checkDeadline` counts as failed.
    package init(time: any TimeSource, checkDeadline: Duration = .seconds(2)) {
        self.time = time
        self.checkDeadline = checkDeadline
    }

    /// A loop that ticks the returned pulse more often than `limit` counts as alive.
    package func pulse(_ name: String, limit: Duration) -> Pulse {
        let pulse = Pulse(limit: limit, time: time)
        state.withLock { $0.pulses.append((name, pulse)) }
        return pulse
    }

    package func addReadinessCheck(_ name: String, check: @escaping @Sendable () async -> Readiness) {
        state.withLock { $0.checks.append(ReadinessCheck(name, check: check)) }
    }

    /// Adds a remark that `/readyz` shows without failing; nil when there is nothing to report.
    package func addRemark(_ name: String, text: @escaping @Sendable () -> String?) {
        state.withLock { $0.remarks.append((name, text)) }
    }

    package func remarks() -> [String] {
        state.withLock { $0.remarks }.compactMap { remark in remark.text().map { "\(remark.name): \($0)" } }
    }

    /// Marks the service as not ready until `endStart`: its parts do not exist yet, nor do their checks.
    package func beginStart() {
        state.withLock { $0.isStarting = true }
    }

    package func endStart() {
        state.withLock { $0.isStarting = false }
    }

    /// Marks the service as not ready, because it is about to stop.
    package func startDraining() {
        state.withLock { $0.isDraining = true }
    }

    /// The loops that have stopped ticking; empty if the service is alive.
    package func stalledLoops() -> [String] {
        state.withLock { $0.pulses }.compactMap { name, pulse in
            guard let silence = pulse.silence, silence > pulse.limit else { return nil }
            return "\(name) has not ticked for \(silence.wholeMilliseconds) ms"
        }
    }

    /// The reasons why the service is not ready, in the order of the checks, which run concurrently; empty if it is.
    package func obstacles() async -> [String] {
        let (checks, isStarting, isDraining) = state.withLock { ($0.checks, $0.isStarting, $0.isDraining) }
        var reasons = isDraining ? ["shutting down"] : []
        let answers = await withTaskGroup(of: (Int, Readiness).self) { tasks in
            for (index, check) in checks.enumerated() {
                tasks.addTask { [time, checkDeadline] in
                    (index, await check.answer(within: checkDeadline, time: time))
                }
            }
            return await tasks.reduce(into: [Int: Readiness]()) { $0[$1.0] = $1.1 }
        }
        for (index, check) in checks.enumerated() {
            if case .notReady(let reason) = answers[index] { reasons.append("\(check.name): \(reason)") }
        }
        return reasons.isEmpty && isStarting ? ["starting"] : reasons
    }
}

/// Heartbeat of one work loop.
package final class Pulse: Sendable {
    fileprivate let limit: Duration
    private let time: any TimeSource
    private let last: Mutex<Duration?>

    fileprivate init(limit: Duration, time: any TimeSource) {
        self.limit = limit
        self.time = time
        last = Mutex(time.uptime)
    }

    package func tick() {
        let now = time.uptime
        last.withLock { $0 = now }
    }

    /// Marks the loop as idle or ended: silence counts as healthy until the next tick.
    package func rest() {
        last.withLock { $0 = nil }
    }

    fileprivate var silence: Duration? {
        let now = time.uptime
        return last.withLock { $0.map { now - $0 } }
    }
}
