/// Compares a task's report with the counts of the simulator. The two must agree, for each provider, too.
struct DemoVerdict: Equatable {
    let lines: [String]
    let agrees: Bool

    /// `accepted` is the number of pushes that each provider has accepted since the task was posted, `living` the
    /// number of the task's devices registered with valid tokens. Devices with dead tokens are targeted only until
    /// their removal.
    init(_ status: ReportedTask, accepted: [String: Int], living: [String: Int]) {
        let delivered = status.count(.delivered)
        let gone = status.count(.invalid) + status.count(.invalidRemoved)
        let (acceptedTotal, livingTotal) = (DemoVerdict.sum(accepted), DemoVerdict.sum(living))
        let totals = [
            ("delivered in the report", delivered, "accepted by the simulator", acceptedTotal),
            ("delivered in the report", delivered, "devices with valid tokens", livingTotal),
            ("invalid in the report", gone, "targeted devices with dead tokens", status.targeted - livingTotal),
            ("outcomes", status.ended, "targeted devices", status.targeted),
        ]
        let byProvider = Set(accepted.keys).union(living.keys).sorted().map { provider in
            ("accepted as \(provider)", accepted[provider] ?? 0, "valid tokens", living[provider] ?? 0)
        }
        let checks = totals + byProvider.filter { $0.1 > 0 || $0.3 > 0 }
        lines = checks.map { name, value, otherName, other in
            "  \(value == other ? "ok" : "MISMATCH")  \(name): \(value), \(otherName): \(other)"
        }
        agrees = checks.allSatisfy { $0.1 == $0.3 }
    }

    private static func sum(_ counts: [String: Int]) -> Int { counts.values.reduce(0, +) }
}
