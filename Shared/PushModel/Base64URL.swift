/// Base64 with the alphabet of RFC 4648 section 5, without padding, used for ids and keys.
package enum Base64URL {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each character; 255 for characters outside the alphabet.
    static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits = BitQueue()
        for byte in bytes {
            bits.append(byte, count: 8)
            while bits.count >= 6 { text.append(alphabet[Int(bits.removeFirst(6))]) }
        }
        if bits.count > 0 { text.append(alphabet[Int(bits.removeLastPadded(6))]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for other characters, an impossible length, or non-zero bits after the last byte: each value has one
    /// encoding.
    package static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits = BitQueue()
        for character in text.utf8 {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits.append(value, count: 6)
            if bits.count >= 8 { bytes.append(bits.removeFirst(8)) }
        }
        guard bits.count == 0 || bits.removeLastPadded(8) == 0 else { return nil }
        return bytes
    }
}

/// Regroups bits, the highest first; holds up to two bytes of them.
struct BitQueue {
    private var bits: UInt32 = 0
    private(set) var count = 0

    mutating func append(_ value: UInt8, count added: Int) {
        bits = bits << UInt32(added) | UInt32(value)
        count += added
    }

    mutating func removeFirst(_ removed: Int) -> UInt8 {
        count -= removed
        let value = bits >> UInt32(count)
        bits &= (1 << UInt32(count)) - 1
        return UInt8(truncatingIfNeeded: value)
    }

    /// The remaining bits, padded with zeros.
    mutating func removeLastPadded(_ width: Int) -> UInt8 {
        let value = bits << UInt32(width - count)
        (bits, count) = (0, 0)
        return UInt8(truncatingIfNeeded: value)
    }
}
