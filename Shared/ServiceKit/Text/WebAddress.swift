/// A URL, checked as far as needed before it is passed on: `https://host:port/path`. Non-ASCII letters are allowed
/// anywhere, as in browsers.
package struct WebAddress: Sendable, Equatable {
    package enum Scheme: String, CaseIterable, Sendable {
        case https
        case http

        package var port: Int {
            switch self {
            case .https: 443
            case .http: 80
            }
        }
    }

    package static let bytesMaximum = 2_048

    package let scheme: Scheme
    /// With ASCII letters in lower case, without the brackets of an IPv6 address and the dot after an absolute name.
    package let host: String
    /// The scheme's port if the address names none.
    package let port: Int

    /// Nil for an invalid URL: one with a blank or control character, a name or password before the host, no host, a
    /// host with an empty part, brackets around anything but an IPv6 address, or a port that is not 1 to 65535.
    package init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(WebAddress.bytesMaximum + 1))
        guard bytes.count <= WebAddress.bytesMaximum, bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            let scheme = WebAddress.scheme(of: bytes)
        else { return nil }
        let rest = bytes.dropFirst(scheme.rawValue.utf8.count + WebAddress.separator.count)
        let authority = WebAddress.split(rest.prefix { !"/?#".utf8.contains($0) })
        guard WebAddress.isHost(authority.host), authority.port.map(WebAddress.isPort) ?? true,
            let host = WebAddress.plain(authority.host)
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = authority.port.map(WebAddress.number) ?? scheme.port
    }

    private static let separator = Array("://".utf8)

    private static func scheme(of bytes: [UInt8]) -> Scheme? {
        Scheme.allCases.first { scheme in
            let start = Array(scheme.rawValue.utf8) + separator
            // The bit that distinguishes lower-case from upper-case ASCII letters; `:` and `/` have it set.
            return bytes.prefix(start.count).map { $0 | 0x20 } == start
        }
    }

    private static func split(
        _ authority: ArraySlice<UInt8>
    ) -> (host: ArraySlice<UInt8>, port: ArraySlice<UInt8>?) {
        let colon = authority.lastIndex(of: UInt8(ascii: ":"))
        guard let colon, authority.last != UInt8(ascii: "]") else { return (authority, nil) }
        return (authority[..<colon], authority[(colon + 1)...])
    }

    private static func plain(_ host: ArraySlice<UInt8>) -> String? {
        var name = host
        if name.first == UInt8(ascii: "[") {
            name = name.dropFirst().dropLast()
        } else if name.last == UInt8(ascii: ".") {
            name = name.dropLast()
        }
        return OutsideText.string(name.map { $0.isASCIIUppercase ? $0 | 0x20 : $0 })
    }

    private static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            let address = OutsideText.string(host.dropFirst().dropLast()).flatMap { IPAddress($0) }
            return host.contains(UInt8(ascii: ":")) && address != nil
        }
        // A name may end in a dot, which makes it absolute.
        let name = host.last == UInt8(ascii: ".") ? host.dropLast() : host
        return name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0.isASCIILetterOrDigit || $0 >= 0x80 || "-_".utf8.contains($0) }
        }
    }

    private static func isPort(_ digits: ArraySlice<UInt8>) -> Bool {
        guard 1...5 ~= digits.count, digits.allSatisfy(\.isASCIIDigit) else { return false }
        return 1...65_535 ~= number(digits) && digits.first != UInt8(ascii: "0")
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
