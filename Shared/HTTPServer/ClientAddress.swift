package import ServiceKit

/// The origin of a request: the peer of its connection, or the address that a trusted proxy reports.
struct ClientAddress {
    let text: String
    /// Key for the request's memory share. The holder of one IPv6 address usually has a whole /64.
    let payer: String

    init(_ address: IPAddress?) {
        text = address?.description ?? ""
        guard let address, address.bytes.count == 16 else {
            payer = text
            return
        }
        payer = IPAddress(bytes: Array(address.bytes.prefix(8)) + [UInt8](repeating: 0, count: 8))?.description ?? text
    }
}

/// The proxies in front of the server, and the field in which they report a request's origin. Only that field is
/// trusted: a proxy that sets one of the two forwards the other as the client wrote it.
package struct TrustedProxies: Sendable, Equatable {
    package enum Field: String, Sendable, CaseIterable {
        case xForwardedFor = "x-forwarded-for"
        /// RFC 7239.
        case forwarded
    }

    /// Further entries are ignored; no real request passes so many proxies.
    private static let hopsMaximum = 16

    package var ranges: [AddressRange]
    package var field: Field

    package init(ranges: [AddressRange] = [], field: Field = .xForwardedFor) {
        self.ranges = ranges
        self.field = field
    }

    /// Each proxy appends the address of its peer, so the list is trusted from its end as long as the entries come from
    /// trusted proxies; earlier entries may be forged by the client.
    func client(peer: IPAddress?, _ headers: HTTPHeaders) -> IPAddress? {
        guard var client = peer, contains(client) else { return peer }
        let texts = headers.values(field.rawValue)
        let entries = field == .forwarded ? texts.flatMap(ForwardedField.addresses) : texts.flatMap(Self.addresses)
        for entry in entries.reversed().prefix(TrustedProxies.hopsMaximum) {
            guard contains(client), let address = TrustedProxies.address(entry) else { break }
            client = address
        }
        return client
    }

    private func contains(_ address: IPAddress) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    private static func addresses(_ text: String) -> [Substring] {
        text.split(separator: ",", omittingEmptySubsequences: false)
    }

    /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`.
    private static func address(_ entry: Substring) -> IPAddress? {
        let text = entry.filter { $0 != " " && $0 != "\t" }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            return IPAddress(String(text[text.index(after: text.startIndex)..<end]))
        }
        if let address = IPAddress(text) { return address }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? IPAddress(String(parts[0])) : nil
    }
}

/// The field of RFC 7239: elements of `name=value` pairs; a value may be a quoted string.
enum ForwardedField {
    /// The `for` value of each element; empty for an element without one. A field with an unterminated quoted string
    /// yields none: a client could open one to hide what the proxy appends.
    static func addresses(_ text: String) -> [Substring] {
        guard let elements = split(text[...], at: ",") else { return [] }
        return elements.map { element in
            let pair = split(element, at: ";")?.first { pair in
                pair.prefix { $0 != "=" }.filter { $0 != " " && $0 != "\t" }.lowercased() == "for"
            }
            guard let pair, let equals = pair.firstIndex(of: "=") else { return "" }
            var value = pair[pair.index(after: equals)...]
            while value.last == " " || value.last == "\t" { value.removeLast() }
            return value.count >= 2 && value.first == "\"" && value.last == "\"" ? value.dropFirst().dropLast() : value
        }
    }

    /// Nil if a quoted string is not terminated.
    private static func split(_ text: Substring, at separator: Character) -> [Substring]? {
        var isQuoted = false
        var isEscaped = false
        let parts = text.split(omittingEmptySubsequences: false) { character in
            if isEscaped {
                isEscaped = false
                return false
            }
            if isQuoted && character == "\\" { isEscaped = true }
            if character == "\"" { isQuoted.toggle() }
            return character == separator && !isQuoted
        }
        return isQuoted ? nil : parts
    }
}
