/// Holds a task's report against what the simulator has counted. The two must agree: the report is no better than the
/// providers' own count.
struct DemoVerdict: Equatable {
    let lines: [String]
    let agrees: Bool

    /// `accepted` is what all providers have taken since the task was posted, `living` how many devices were registered
    /// with tokens that a provider knows. Of the dead only those can be targeted that are not removed yet.
    init(_ status: ReportedTask, accepted: Int, living: Int) {
        let delivered = status.count(.delivered)
        let gone = status.count(.invalid) + status.count(.invalidRemoved)
        let checks = [
            ("delivered by the report", delivered, "taken by the simulator", accepted),
            ("delivered by the report", delivered, "devices that live", living),
            ("dead devices by the report", gone, "targeted devices that are dead", status.targeted - living),
            ("outcomes", status.ended, "targeted devices", status.targeted),
        ]
        lines = checks.map { name, value, otherName, other in
            "  \(value == other ? "ok" : "MISMATCH")  \(name): \(value), \(otherName): \(other)"
        }
        agrees = checks.allSatisfy { $0.1 == $0.3 }
    }
}
