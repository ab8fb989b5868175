package import PushModel

/// A block of addresses as in `10.0.0.0/8` or `2001:db8::/32`; an address alone is a block of one.
package struct AddressRange: Sendable, Equatable, CustomStringConvertible {
    private let base: [UInt8]
    private let prefixLength: Int

    package init(_ text: String) throws(InvalidValue) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let shape = "must be an address or a range such as 10.0.0.0/8 or 2001:db8::/32"
        guard let address = IPAddress(parts[0]) else { throw InvalidValue(shape) }
        let width = address.bytes.count * 8
        guard let length = parts.count == 1 ? width : Int(parts[1]), 0...width ~= length,
            parts.count == 1 || parts[1] == String(length)
        else { throw InvalidValue(shape) }
        base = AddressRange.masked(address.bytes, length)
        prefixLength = length
        // Somebody who writes 10.0.0.5/8 means either one address or a network, and may get far more than was meant.
        guard base == address.bytes else {
            throw InvalidValue("must begin at the range's first address: \(self), or name one address without a /")
        }
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.count && AddressRange.masked(address.bytes, prefixLength) == base
    }

    package var description: String {
        let address = "\(IPAddress(bytes: base))"
        return prefixLength == base.count * 8 ? address : "\(address)/\(prefixLength)"
    }

    private static func masked(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(8, max(0, length - index * 8))
            return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
        }
    }
}
