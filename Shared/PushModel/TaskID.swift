import ServiceKit

/// The id of a task: a UUID, as some dialects require, in 22 characters in keys.
package struct TaskID: Hashable, Sendable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A UUID in its usual form, upper or lower case.
    package init?(_ text: String) {
        var (high, low): (UInt64, UInt64) = (0, 0)
        var place = 0
        for byte in text.utf8 {
            if TaskID.isHyphen(at: place) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard place < TaskID.length, let digit = byte.hexDigitValue else { return nil }
                high = high << 4 | low >> 60
                low = low << 4 | UInt64(digit)
            }
            place += 1
        }
        guard place == TaskID.length else { return nil }
        self.init(high: high, low: low)
    }

    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Computed for every push and every result, so optimized; as are the description and its reading.
    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            for place in 0..<8 {
                let shift = UInt64(56 - 8 * place)
                buffer[place] = UInt8(truncatingIfNeeded: high >> shift)
                buffer[place + 8] = UInt8(truncatingIfNeeded: low >> shift)
            }
            count = 16
        }
    }

    package var description: String {
        String(unsafeUninitializedCapacity: TaskID.length) { buffer in
            var place = 0
            for position in 0..<32 {
                if TaskID.isHyphen(at: place) {
                    buffer[place] = UInt8(ascii: "-")
                    place += 1
                }
                let half = position < 16 ? high : low
                let digit = UInt8(half >> UInt64(60 - position % 16 * 4) & 15)
                buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
                place += 1
            }
            return place
        }
    }

    /// True if it was derived from its request (version 8), so that a repeat has the same id, and not random.
    package var isDerived: Bool { high >> 12 & 15 == 8 }

    package var key: String { Base64URL.encode(bytes) }

    /// Of the usual form of a UUID.
    private static let length = 36

    private static func isHyphen(at place: Int) -> Bool {
        place == 8 || place == 13 || place == 18 || place == 23
    }
}
