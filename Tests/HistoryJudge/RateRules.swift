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
        guard !evidence.disturbances.mayRepeatSlots else { return [] }
        var found: [Violation] = []
        for task in evidence.tasks {
            guard let rate = task.rate else { continue }
            found += violations(of: task.name, tasks: [task], rate: rate)
        }
        if let rate = evidence.appRate {
            found += violations(of: "the app", tasks: evidence.tasks.filter(\.keepsAppRate), rate: rate)
        }
        return found
    }

    private func violations(of name: String, tasks: [JudgedTask], rate: Int) -> [Violation] {
        let pushes = tasks.map { evidence.pushes[$0.id]?.values.flatMap { $0 } ?? [] }
        let times = pushes.joined().map(\.time).sorted()
        let most = rate * (Int(RateRules.window / .seconds(1)) + RateRules.burst) + late(pushes)
        guard times.count > most else { return [] }
        let isBroken = zip(times, times.dropFirst(most)).contains { $1 - $0 < RateRules.window }
        return isBroken ? [Violation(.rateKept, "\(name): more than \(most) at \(rate) a second")] : []
    }

    /// How many of them may come behind their slots, and so together with others: of each task a process has one push
    /// with a slot at a time.
    private func late(_ pushes: [[JudgedPush]]) -> Int {
        pushes.reduce(0) { count, pushes in
            count + Set(pushes.map(\.sender)).count(where: evidence.disturbances.mayMissSlots)
        }
    }
}
