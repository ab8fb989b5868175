/// A block of addresses such as `10.0.0.0/8` or `2001:db8::/32`; a single address is a block of one.
package struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    /// Why a text is not a range; shown after the field's name and a colon.
    package struct FormatError: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    private let base: IPAddress
    private let prefixLength: Int

    package init(_ text: String) throws(FormatError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let shape = "expected an address or a range such as 10.0.0.0/8 or 2001:db8::/32"
        guard let address = IPAddress(parts[0]) else { throw FormatError(description: shape) }
        let width = address.bytes.count * 8
        guard let length = parts.count == 1 ? width : Int(parts[1]), 0...width ~= length,
            parts.count == 1 || parts[1] == String(length)
        else { throw FormatError(description: shape) }
        guard let first = IPAddress(bytes: AddressRange.masked(address.bytes, length: length)) else {
            throw FormatError(description: shape)
        }
        base = first
        prefixLength = length
        // 10.0.0.5/8 may mean one address or a network, and the network may be far larger than intended.
        guard base == address else {
            throw FormatError(
                description: "expected the first address of the range, \(self), or one address without a /")
        }
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.bytes.count
            && AddressRange.masked(address.bytes, length: prefixLength) == base.bytes
    }

    package var description: String {
        prefixLength == base.bytes.count * 8 ? "\(base)" : "\(base)/\(prefixLength)"
    }

    private static func masked(_ bytes: [UInt8], length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, length - index * 8))
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
    }
}
