import PushModel
import RedisClient
import Store

/// What a place in a segment holds.
struct StoredDevice {
    enum Standing {
        /// Nothing was ever put there.
        case absent
        /// Removed; what it was is kept for an hour, so that the sweep can end what a crash has interrupted.
        case removed
        case living(Device)
    }

    static let removalMark: UInt8 = 0xFF
    /// The mark's first byte, and when the device was removed.
    static let removalMarkHead = 5

    let standing: Standing
    /// As stored.
    let record: [UInt8]
    let subscriptions: PackedSubscriptions
    let badge: UInt32?

    /// From the reply of `readDevice`.
    init(_ reply: RedisValue) throws(StoreError) {
        guard let fields = reply.array, fields.count == 3, let record = fields[0].bytes,
            let subscriptions = fields[1].bytes
        else { throw StoreError(.corrupt, message: "a device cannot be read") }
        self.record = record
        standing = try StoredDevice.standing(of: record)
        self.subscriptions = PackedSubscriptions(bytes: subscriptions)
        badge = fields[2].integer.flatMap(UInt32.init(exactly:))
    }

    var living: Device? {
        guard case .living(let device) = standing else { return nil }
        return device
    }

    /// The device with this tag; an id with another one is made up.
    func living(tag: UInt32) -> Device? {
        living.flatMap { $0.tag == tag ? $0 : nil }
    }

    /// The device behind a removal mark.
    static func removed(_ mark: [UInt8]) -> Device? {
        guard mark.first == removalMark, mark.count > removalMarkHead else { return nil }
        return Device(packed: mark[removalMarkHead...])
    }

    private static func standing(of record: [UInt8]) throws(StoreError) -> Standing {
        switch record.first {
        case nil: return .absent
        case removalMark: return .removed
        default:
            guard let device = Device(packed: record[...]) else {
                throw StoreError(.corrupt, message: "a device's record cannot be read")
            }
            return .living(device)
        }
    }
}

/// A device's subscriptions as stored: four bytes each.
struct PackedSubscriptions: Hashable {
    let bytes: [UInt8]

    var count: Int { bytes.count / 4 }

    var options: [TopicNumber: SubscriptionOptions] {
        var options: [TopicNumber: SubscriptionOptions] = [:]
        var reader = ByteReader(bytes)
        while let entry = reader.integer(UInt32.self) {
            options[entry >> 4] = SubscriptionOptions(rawValue: UInt8(entry & 15))
        }
        return options
    }
}
