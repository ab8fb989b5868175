/// The escapes of URLs and forms: `%` and two hexadecimal digits.
@usableFromInline package enum PercentEncoding {
    /// Keeps letters, digits, `-`, `.`, `_` and `~`, which RFC 3986 reserves nowhere.
    package static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let isKept = byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)
            return isKept ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.encode([byte]).uppercased()
        }.joined()
    }

    /// Nil if an escape is malformed or encodes a NUL, or if the result is not valid text (see `OutsideText`).
    @inlinable package static func decode(_ text: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return OutsideText.string(text)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue,
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
}
