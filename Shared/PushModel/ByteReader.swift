import ServiceKit

/// Reads packed values from untrusted bytes; returns nil at a premature end.
package struct ByteReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package init(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    package var isAtEnd: Bool { position == bytes.endIndex }

    package mutating func byte() -> UInt8? {
        guard position < bytes.endIndex else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, bytes.endIndex - position >= count else { return nil }
        defer { position += count }
        return bytes[position..<position + count]
    }

    package mutating func rest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    /// Little-endian; up to 64 bits.
    package mutating func integer<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value? {
        // Assembled in a plain integer: called from another module this is generic code, slow at every step.
        pattern(bytesCount: MemoryLayout<Value>.size).map { Value(truncatingIfNeeded: $0) }
    }

    private mutating func pattern(bytesCount: Int) -> UInt64? {
        guard bytes.endIndex - position >= bytesCount else { return nil }
        defer { position += bytesCount }
        var pattern: UInt64 = 0
        for place in stride(from: bytesCount - 1, through: 0, by: -1) {
            pattern = pattern << 8 | UInt64(bytes[position + place])
        }
        return pattern
    }

    /// Seven bits in each byte, lowest first; at most five bytes.
    package mutating func variableInteger() -> Int? {
        var value = 0
        for shift in stride(from: 0, through: 28, by: 7) {
            guard let next = byte() else { return nil }
            value |= Int(next & 0x7F) << shift
            if next < 0x80 { return value }
        }
        return nil
    }

    /// A length and that many bytes.
    package mutating func counted() -> ArraySlice<UInt8>? {
        variableInteger().flatMap { bytes($0) }
    }

    package mutating func text() -> String? {
        counted().flatMap { OutsideText.string($0) }
    }
}

extension [UInt8] {
    /// Little-endian; up to 64 bits.
    package mutating func append<Value: FixedWidthInteger>(integer value: Value) {
        // Via a plain integer: called from another module this is generic code, slow at every step.
        append(pattern: UInt64(truncatingIfNeeded: value), bytesCount: MemoryLayout<Value>.size)
    }

    private mutating func append(pattern: UInt64, bytesCount: Int) {
        for place in 0..<bytesCount { append(UInt8(truncatingIfNeeded: pattern >> UInt64(8 * place))) }
    }

    package mutating func append(variableInteger value: Int) {
        precondition((0..<1 << 35).contains(value), "\(value) does not fit into five bytes")
        var rest = value
        while rest >= 0x80 {
            append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    package mutating func append(counted bytes: some Collection<UInt8>) {
        append(variableInteger: bytes.count)
        append(contentsOf: bytes)
    }
}
