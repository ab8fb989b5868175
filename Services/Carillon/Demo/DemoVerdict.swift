/// Compares a task's report with the counts of the simulator. The two must agree.
struct DemoVerdict: Equatable {
    let lines: [String]
    let agrees: Bool

    /// `accepted` is the number of pushes that all providers have accepted since the task was posted, `living` the
    /// number of devices registered with valid tokens. Devices with dead tokens are targeted only until their removal.
    init(_ status: ReportedTask, accepted: Int, living: Int) {
        let delivered = status.count(.delivered)
        let gone = status.count(.invalid) + status.count(.invalidRemoved)
        let checks = [
            ("delivered in the report", delivered, "accepted by the simulator", accepted),
            ("delivered in the report", delivered, "devices with valid tokens", living),
            ("invalid in the report", gone, "targeted devices with dead tokens", status.targeted - living),
            ("outcomes", status.ended, "targeted devices", status.targeted),
        ]
        lines = checks.map { name, value, otherName, other in
            "  \(value == other ? "ok" : "MISMATCH")  \(name): \(value), \(otherName): \(other)"
        }
        agrees = checks.allSatisfy { $0.1 == $0.3 }
    }
}
