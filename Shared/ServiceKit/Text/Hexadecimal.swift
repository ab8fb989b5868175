@usableFromInline package enum Hexadecimal {
    @usableFromInline static let digits = Array("0123456789abcdef".utf8)

    /// Encodes in lower case.
    @inlinable package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let digits = digits
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var position = 0
            for byte in bytes {
                buffer[position] = digits[Int(byte >> 4)]
                buffer[position + 1] = digits[Int(byte & 15)]
                position += 2
            }
            return position
        }
    }

    package static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = character.hexDigitValue else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
