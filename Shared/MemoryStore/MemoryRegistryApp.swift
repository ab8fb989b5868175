import PushModel
import Store

/// All data of one app.
struct MemoryRegistryApp {
    var segments: [SegmentNumber: MemoryRegistrySegment] = [:]
    /// Set before the device: two registrations of one token get the same id, even if neither has finished.
    private var tokens: [PushToken: DeviceID] = [:]
    private var aliases: [AliasKey: Set<DeviceIndex>] = [:]
    private var next: UInt64 = 0
    var audiences: [AudienceName: [UInt8]] = [:]
    var groups = MemoryTransferGroups()
    var transfers = MemoryTransfers()
    var activities = MemoryActivities()
    var counts: [TopicName: TopicCount] = [:]
    /// By partition of `tasks`, the offset to which publications are counted.
    var counted: [Int32: Int64] = [:]

    /// The value as bytes: differently spelled values are different aliases, though `String` may treat them as equal.
    private struct AliasKey: Hashable {
        let kind: Alias.Kind
        let bytes: [UInt8]

        init(_ kind: Alias.Kind, value: String) {
            self.kind = kind
            bytes = Array(value.utf8)
        }
    }

    /// The segments in which a position was ever assigned.
    var segmentCount: UInt32 {
        UInt32((next + UInt64(DeviceIndex.segmentCapacity) - 1) / UInt64(DeviceIndex.segmentCapacity))
    }

    func device(_ id: DeviceID) -> Device? {
        guard let device = segments[id.index.segment]?.devices[id.index.offset], device.tag == id.tag else {
            return nil
        }
        return device
    }

    func registered(_ id: DeviceID) -> RegisteredDevice? {
        device(id).map { RegisteredDevice(id: id, device: $0, badge: self[id.index].badges[id.index.offset]) }
    }

    func id(of token: PushToken) -> DeviceID? { tokens[token] }

    func indices(of kind: Alias.Kind, _ value: String) -> Set<DeviceIndex> {
        aliases[AliasKey(kind, value: value)] ?? []
    }

    /// The segment; empty if it holds no data yet.
    subscript(number: SegmentNumber) -> MemoryRegistrySegment {
        get { segments[number] ?? MemoryRegistrySegment() }
        _modify { yield &segments[number, default: MemoryRegistrySegment()] }
    }

    /// The segment of a position.
    subscript(index: DeviceIndex) -> MemoryRegistrySegment {
        get { self[index.segment] }
        _modify { yield &self[index.segment] }
    }

    /// The token's id; a new one if it has none.
    mutating func reserve(_ token: PushToken, tag: UInt32) throws(StoreError) -> DeviceID {
        if let id = tokens[token] { return id }
        guard let free = UInt32(exactly: next) else {
            throw StoreError(.tooMany, message: "the app has no free position left")
        }
        let id = DeviceID(index: DeviceIndex(rawValue: free), tag: tag)
        next += 1
        tokens[token] = id
        return id
    }

    mutating func apply(_ change: RegistryChange) {
        guard !applyToApp(change.content) else { return }
        let index = change.index
        // A position in the log was assigned, regardless of the present holder.
        next = max(next, UInt64(index.rawValue) + 1)
        switch change.content {
        case .device(let device?): put(device, at: index)
        case .device(nil): remove(index)
        case .subscription(let topic, let options):
            self[index].subscriptions[index.offset, default: [:]][topic] = options
        case .purge(let topic): self[index].purge(topic)
        case .badge(let badge): self[index].badges[index.offset] = badge
        case .audience, .count, .group, .transfer, .activity: break
        }
    }

    /// False for a change of a device.
    private mutating func applyToApp(_ content: RegistryChange.Content) -> Bool {
        switch content {
        case .audience(let name, let definition): audiences[name] = definition
        case .count(let topic, let change):
            if change.replaces(counts[topic]) { counts[topic] = change.count }
        case .group(let group): groups.save(group)
        case .transfer(let id, let record): transfers.save(record, id: id)
        case .activity(let fact, let record): activities.facts[fact] = record
        case .device, .subscription, .purge, .badge: return false
        }
        return true
    }

    private mutating func put(_ device: Device, at index: DeviceIndex) {
        detach(index)
        self[index].devices[index.offset] = device
        tokens[device.token] = DeviceID(index: index, tag: device.tag)
        for (kind, value) in device.aliases { aliases[AliasKey(kind, value: value), default: []].insert(index) }
    }

    private mutating func remove(_ index: DeviceIndex) {
        detach(index)
        self[index].devices[index.offset] = nil
        self[index].subscriptions[index.offset] = nil
        self[index].badges[index.offset] = nil
        self[index].failures[index.offset] = nil
    }

    /// Removes the lookup entries of the device at this position.
    private mutating func detach(_ index: DeviceIndex) {
        guard let device = self[index].devices[index.offset] else { return }
        if tokens[device.token]?.index == index { tokens[device.token] = nil }
        for (kind, value) in device.aliases {
            let key = AliasKey(kind, value: value)
            aliases[key]?.remove(index)
            if aliases[key]?.isEmpty == true { aliases[key] = nil }
        }
    }
}
