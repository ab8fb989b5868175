import PushModel

/// A rendered payload with slots for device-specific values: rendered once, completed for each device.
package struct PayloadTemplate: Hashable, Sendable {
    /// The value between two parts.
    package enum Slot: UInt8, Sendable {
        /// The device's token as JSON text, without quotes.
        case token = 1
        /// The device's badge as a number.
        case badge = 2
        /// The device's proof for receipts, without quotes.
        case proof = 3
        /// Of a started Live Activity: the member that says where it gets its updates from. The sender knows it.
        case feed = 4
    }

    package static let slotsMaximum = 8

    /// One more than `slots`.
    package let parts: [[UInt8]]
    package let slots: [Slot]

    package init(parts: [[UInt8]], slots: [Slot]) {
        precondition(parts.count == slots.count + 1, "a slot stands between two parts")
        self.parts = parts
        self.slots = slots
    }

    /// A payload that is identical for all devices.
    package init(_ bytes: [UInt8]) {
        self.init(parts: [bytes], slots: [])
    }

    /// Texts are evaluated only if a slot needs them.
    package func payload(
        token: @autoclosure () -> String, badge: UInt32, proof: @autoclosure () -> String = "",
        feed: @autoclosure () -> String = ""
    ) -> [UInt8] {
        var bytes = parts[0]
        for (slot, part) in zip(slots, parts.dropFirst()) {
            switch slot {
            case .token: bytes.append(contentsOf: token().utf8)
            case .badge: bytes.append(contentsOf: String(badge).utf8)
            case .proof: bytes.append(contentsOf: proof().utf8)
            case .feed: bytes.append(contentsOf: feed().utf8)
            }
            bytes.append(contentsOf: part)
        }
        return bytes
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append(UInt8(slots.count))
        bytes.append(contentsOf: slots.map(\.rawValue))
        for part in parts { bytes.append(counted: part) }
    }

    init?(from reader: inout ByteReader) {
        guard let count = reader.byte(), Int(count) <= PayloadTemplate.slotsMaximum,
            let slots = reader.elements(Int(count), read: { $0.byte().flatMap(Slot.init(rawValue:)) }),
            let parts = reader.elements(slots.count + 1, read: { $0.counted().map { Array($0) } })
        else { return nil }
        self.init(parts: parts, slots: slots)
    }
}
