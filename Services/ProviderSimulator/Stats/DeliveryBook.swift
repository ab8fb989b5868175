import ServiceKit

/// Statistics of one provider since the start or the last reset. All of them are bounded.
struct DeliveryBook {
    struct Limits: Sendable {
        var devices = 2_000_000
        var marks = 2_000_000
        var tasks = 10_000
        var keptPushes = 1_000
    }

    /// Reasons are the provider's own and those set by faults.
    private static let reasonsMaximum = 200

    private(set) var requests = 0
    private(set) var accepted = 0
    private(set) var repeated = 0
    private(set) var refusals: [String: Int] = [:]
    private(set) var faults: [String: Int] = [:]
    private(set) var devices: CountTable
    private(set) var tasks: [String: Int] = [:]
    private(set) var connections = ConnectionCounts()
    private(set) var kept: KeptPushes
    private var marks: RecentSet
    private let limits: Limits

    init(_ limits: Limits) {
        self.limits = limits
        devices = CountTable(namesMaximum: limits.devices)
        marks = RecentSet(countMaximum: limits.marks)
        kept = KeptPushes(countMaximum: limits.keptPushes)
    }

    mutating func countRequest(on connection: Int) {
        requests += 1
        connections.count(on: connection)
    }

    mutating func count(_ delivery: Delivery) {
        accepted += 1
        devices.count(delivery.device)
        if let mark = delivery.mark, !marks.insert(hash(delivery.device, mark: mark)) { repeated += 1 }
        if let task = delivery.task, tasks.count < limits.tasks || tasks[task] != nil {
            tasks[task, default: 0] += 1
        }
    }

    mutating func countRefusal(_ reason: String, times: Int = 1) {
        DeliveryBook.add(times, to: &refusals, name: reason)
    }

    mutating func countFault(_ name: String) {
        DeliveryBook.add(1, to: &faults, name: name)
    }

    mutating func keep(_ push: KeptPush) {
        kept.append(push)
    }

    mutating func reset() {
        self = DeliveryBook(limits)
    }

    var json: String {
        JSONText.object { json in
            json.member("requests", requests)
            json.member("accepted", accepted)
            json.member("repeated", repeated)
            json.member("refused", refusals.values.reduce(0, +))
            json.member("refused_by_reason", json: DeliveryBook.object(refusals))
            json.member("faults", json: DeliveryBook.object(faults))
            json.member("distinct_devices", devices.names)
            json.member("untracked_deliveries", devices.untracked)
            json.member("most_for_one_device", devices.largest)
            json.member("tasks", json: DeliveryBook.object(tasks))
            json.member("connections", connections.total)
            json.member("requests_by_connection", json: connectionRequests)
        }
    }

    private var connectionRequests: String {
        JSONText.object { json in
            for (connection, count) in connections.requests.sorted(by: { $0.key < $1.key }) {
                json.member(String(connection), count)
            }
        }
    }

    private func hash(_ device: String, mark: String) -> Int {
        var hasher = Hasher()
        hasher.combine(device)
        hasher.combine(mark)
        return hasher.finalize()
    }

    private static func add(_ count: Int, to counts: inout [String: Int], name: String) {
        let isKnown = counts[name] != nil || counts.count < reasonsMaximum
        counts[isKnown ? name : "other", default: 0] += count
    }

    private static func object(_ counts: [String: Int]) -> String {
        JSONText.object { json in
            for (name, count) in counts.sorted(by: { $0.key < $1.key }) { json.member(name, count) }
        }
    }
}
