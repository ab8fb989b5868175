import PushModel
import Store

/// A naive registry: a list of devices that every read scans completely. The store allocates the ids; the model only
/// checks that none is allocated twice.
struct RegistryModel {
    struct Entry {
        let id: DeviceID
        var device: Device
        var badge: UInt32?
        var topics: [TopicName: SubscriptionOptions] = [:]
        var failures = 0

        var registered: RegisteredDevice { RegisteredDevice(id: id, device: device, badge: badge) }
    }

    private(set) var entries: [Entry] = []
    private(set) var removed: [DeviceID] = []

    subscript(id: DeviceID) -> Entry? {
        get { entries.first { $0.id == id } }
        set {
            guard let position = entries.firstIndex(where: { $0.id == id }) else { return }
            if let newValue {
                entries[position] = newValue
            } else {
                entries.remove(at: position)
                removed.append(id)
            }
        }
    }

    func entry(of token: PushToken) -> Entry? { entries.first { $0.device.token == token } }

    func ids(of alias: Alias) -> Set<DeviceID> {
        Set(entries.filter { $0.device.aliases[alias.kind] == alias.value }.map(\.id))
    }

    /// Adds a device with an unknown token.
    mutating func add(_ token: PushToken, changes: DeviceChanges, as id: DeviceID, at seconds: UInt32) {
        let device = Device(tag: id.tag, token: token, created: seconds).applying(changes, at: seconds)
        entries.append(Entry(id: id, device: device, badge: changes.badge))
    }

    mutating func change(_ id: DeviceID, changes: DeviceChanges, at seconds: UInt32) -> Bool {
        guard var entry = self[id] else { return false }
        entry.device = entry.device.applying(changes, at: seconds)
        entry.badge = changes.badge ?? entry.badge
        entry.failures = 0
        self[id] = entry
        return true
    }

    mutating func countFailure(of id: DeviceID, limit: Int) -> FailureVerdict {
        guard let entry = self[id] else { return .unknownDevice }
        self[id]?.failures += 1
        guard entry.failures + 1 >= limit else { return .counted(entry.failures + 1) }
        self[id] = nil
        return .removed
    }

    mutating func purge(_ topic: TopicName) -> Int {
        let subscribed = entries.filter { $0.topics[topic] != nil }.map(\.id)
        for id in subscribed { self[id]?.topics[topic] = nil }
        return subscribed.count
    }

    mutating func forgetFailures(of ids: [DeviceID]) {
        for id in ids { self[id]?.failures = 0 }
    }

    /// The log does not contain failures.
    mutating func forgetFailures() {
        for position in entries.indices { entries[position].failures = 0 }
    }

    func members(of audience: Audience) -> Set<DeviceID> {
        Set(entries.filter { RegistryModel.matches(audience, topics: $0.topics) }.map(\.id))
    }

    private static func matches(_ audience: Audience, topics: [TopicName: SubscriptionOptions]) -> Bool {
        switch audience {
        case .everyone: true
        case .topic(let topic): topics[topic] != nil
        case .filter, .saved: preconditionFailure("the model has no filters")
        case .not(let inner): !matches(inner, topics: topics)
        case .all(let parts): parts.allSatisfy { matches($0, topics: topics) }
        case .any(let parts): parts.contains { matches($0, topics: topics) }
        }
    }
}
