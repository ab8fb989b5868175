import PushModel

/// Pushes a second, of a task and of the app.
struct RateRules {
    private static let window = Duration.seconds(10)
    /// Slots that passed unused may be used within this time.
    private static let burst = 2

    private let evidence: Evidence

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    func violations() -> [Violation] {
        guard !evidence.disturbances.mayDelayPushes else { return [] }
        var found: [Violation] = []
        for task in evidence.tasks {
            guard let rate = task.rate else { continue }
            found += violations(of: task.name, times: times(of: [task]), rate: rate)
        }
        if let rate = evidence.appRate {
            found += violations(of: "the app", times: times(of: evidence.tasks.filter(\.keepsAppRate)), rate: rate)
        }
        return found
    }

    private func times(of tasks: [JudgedTask]) -> [Duration] {
        tasks.flatMap { evidence.pushes[$0.id]?.values.flatMap { $0.map(\.time) } ?? [] }.sorted()
    }

    private func violations(of name: String, times: [Duration], rate: Int) -> [Violation] {
        let most = rate * (Int(RateRules.window / .seconds(1)) + RateRules.burst)
        guard times.count > most else { return [] }
        let isBroken = zip(times, times.dropFirst(most)).contains { $1 - $0 < RateRules.window }
        return isBroken ? [Violation(.rateKept, "\(name): more than \(most) at \(rate) a second")] : []
    }
}
