import ServiceKit

package enum PercentEncoding {
    /// Nil if an escape is malformed or encodes a NUL, or if the result is not valid text (see `OutsideText`).
    package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return OutsideText.string(text)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next().flatMap(hexadecimal), let low = rest.next().flatMap(hexadecimal),
                    high << 4 | low != 0
                else { return nil }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                decoded.append(UInt8(ascii: " "))
            default:
                decoded.append(byte)
            }
        }
        return OutsideText.string(decoded)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
