/// The addresses that a request may be sent to if its URL comes from an untrusted party.
///
/// It checks the address of the actual connection, never a name or a spelling: a name can resolve to anything, and to
/// something else a moment later.
package struct AddressPolicy: Sendable, Equatable {
    /// Ranges that are allowed although they are not public.
    package var allowed: [AddressRange]

    package init(allowed: [AddressRange] = []) {
        self.allowed = allowed
    }

    package func permits(_ address: IPAddress) -> Bool {
        let target = address.translatedIPv4 ?? address
        return allowed.contains { $0.contains(address) || $0.contains(target) } || AddressPolicy.isPublic(target)
    }

    /// False for a host that is an address which is not permitted, or that surely means one: `localhost`, and the forms
    /// of an IPv4 address that only C's functions read, such as `127.1`. Any other name is permitted: it is judged by
    /// the address of the connection.
    package func mayPermit(host: String) -> Bool {
        if let address = IPAddress(host) { return permits(address) }
        let labels = host.split(separator: ".")
        if let last = labels.last, last.utf8.elementsEqual("localhost".utf8) {
            return AddressPolicy.loopback.contains(where: permits)
        }
        // No top-level domain begins with a digit.
        return labels.last?.utf8.first?.isASCIIDigit == false
    }

    private static func isPublic(_ address: IPAddress) -> Bool {
        let reserved = address.bytes.count == 4 ? reservedIPv4 : reservedIPv6
        guard !reserved.contains(where: { $0.contains(address) }) else { return false }
        return address.bytes.count == 4 || globalIPv6.contains { $0.contains(address) }
    }

    /// All allocated public addresses; everything outside (loopback, link-local, unique local, multicast, and future
    /// ranges) is refused without being listed.
    private static let globalIPv6 = ranges("2000::/3")

    private static let reservedIPv6 = ranges(
        // Protocol assignments, including Teredo, which embeds an IPv4 address.
        "2001::/23",
        // 6to4, which embeds one as well.
        "2002::/16",
        // Documentation.
        "2001:db8::/32", "3fff::/20")

    private static let reservedIPv4 = ranges(
        // This host.
        "0.0.0.0/8", "127.0.0.0/8",
        // Private networks and carrier-grade NAT.
        "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10",
        // Link-local, with the metadata service of most clouds, and one cloud's metadata service at a public address.
        "169.254.0.0/16", "168.63.129.16/32",
        // Protocol assignments, relays, documentation, benchmarks.
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        // Multicast, reserved, broadcast.
        "224.0.0.0/4", "240.0.0.0/4")

    private static let loopback = ["127.0.0.1", "::1"].compactMap { IPAddress($0) }

    private static func ranges(_ texts: String...) -> [AddressRange] {
        texts.map { text in
            guard let range = try? AddressRange(text) else { preconditionFailure("\(text) is not an address range") }
            return range
        }
    }
}

extension IPAddress {
    /// The actual IPv4 destination if this address is translated on the way (NAT64, `64:ff9b::/96`).
    fileprivate var translatedIPv4: IPAddress? {
        let prefix = [0x00, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)
        return bytes.count == 16 && bytes.starts(with: prefix) ? IPAddress(bytes: Array(bytes[12...])) : nil
    }
}
