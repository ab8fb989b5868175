/// The addresses that share the first bits of one: `10.0.0.0/8`, `fc00::/7`, or a single one without a slash.
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    private let base: IPAddress
    private let bitCount: Int

    /// Nil for other text, for more bits than the address has, and for bits behind those that count, since then one of
    /// the two numbers is a mistake.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let base = IPAddress(String(parts[0])) else { return nil }
        let width = base.bytes.count * 8
        guard let bitCount = parts.count == 1 ? width : AddressRange.count(parts[1]), bitCount <= width else {
            return nil
        }
        self.base = base
        self.bitCount = bitCount
        guard (bitCount..<width).allSatisfy({ !AddressRange.bit($0, of: base) }) else { return nil }
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.bytes.count
            && (0..<bitCount).allSatisfy { AddressRange.bit($0, of: address) == AddressRange.bit($0, of: base) }
    }

    package var description: String { "\(base)/\(bitCount)" }

    private static func count(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ? Int(text) : nil
    }

    private static func bit(_ index: Int, of address: IPAddress) -> Bool {
        address.bytes[index / 8] & (0x80 >> UInt8(index % 8)) != 0
    }
}
