import PushModel
import RedisClient
import Store

/// The content of an index in a segment.
struct StoredDevice {
    enum Standing {
        /// Nothing was ever stored.
        case absent
        /// Removed; the record is kept for an hour, so that the sweep can complete what a crash interrupted.
        case removed
        case living(Device)
    }

    static let removalMark: UInt8 = 0xFF
    /// Length of a mark's header: the mark byte and the time of removal.
    static let removalMarkHead = 5

    let standing: Standing
    /// As stored.
    let record: [UInt8]
    let subscriptions: PackedSubscriptions
    let badge: UInt32?
    /// Topics whose subscriptions in the segment a purge has ended, though devices' subscriptions may still name them.
    let purged: [TopicNumber]

    /// From the reply of `readDevice`.
    init(_ reply: RedisValue) throws(StoreError) {
        guard let fields = reply.array, fields.count == 4, let record = fields[0].bytes,
            let subscriptions = fields[1].bytes
        else { throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode a device") }
        self.record = record
        standing = try StoredDevice.standing(of: record)
        self.subscriptions = PackedSubscriptions(bytes: subscriptions)
        badge = fields[2].integer.flatMap(UInt32.init(exactly:))
        purged = SegmentKeys.purged(fields[3])
    }

    var living: Device? {
        guard case .living(let device) = standing else { return nil }
        return device
    }

    /// The device if it has this tag; an id with another tag is not valid.
    func living(tag: UInt32) -> Device? {
        living.flatMap { $0.tag == tag ? $0 : nil }
    }

    /// The device in a removal mark.
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
                throw StoreError(.corrupt, message: "invalid data in Redis: cannot decode a device's record")
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
