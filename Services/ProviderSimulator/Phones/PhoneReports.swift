import ServiceKit

/// The phones that have something to report, and the outcomes so far.
struct PhoneReports: Sendable {
    static let workersMaximum = 32
    private static let reasonsMaximum = 20

    /// Numbers of phones.
    var queue = Queue<Int>()
    var made = 0
    private(set) var failures: [String: Int] = [:]
    private var workers = 0

    var failed: Int { failures.values.reduce(0, +) }

    /// How many workers to start for the phones in the queue.
    mutating func startWorkers() -> Int {
        let count = max(0, min(queue.count, PhoneReports.workersMaximum - workers))
        workers += count
        return count
    }

    /// Nil if the worker ends, since no phone waits.
    mutating func nextPhone() -> Int? {
        let phone = queue.popFirst()
        if phone == nil { workers -= 1 }
        return phone
    }

    mutating func countFailure(_ reason: String) {
        let isKnown = failures[reason] != nil || failures.count < PhoneReports.reasonsMaximum
        failures[isKnown ? reason : "other", default: 0] += 1
    }

    /// Running workers go on, and find no phone.
    mutating func removeAll() {
        queue = Queue()
        made = 0
        failures = [:]
    }

    func describe(in json: inout JSONText) {
        json.member("reports_made", made)
        json.member("reports_failed", failed)
        json.member("reports_failed_by_reason") { json in
            for (reason, count) in failures.sorted(by: { $0.key < $1.key }) { json.member(reason, count) }
        }
    }
}
