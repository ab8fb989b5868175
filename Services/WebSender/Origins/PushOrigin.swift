import ServiceKit

/// The server that a push goes to: scheme, host and port of its device's address.
struct PushOrigin: Hashable, Sendable, CustomStringConvertible {
    let scheme: WebAddress.Scheme
    /// In lower case, and in ASCII: another spelling could be mapped to another host on the way.
    let host: String
    let port: UInt16

    init(scheme: WebAddress.Scheme, host: String, port: UInt16) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Nil for an invalid address.
    init?(address: String) {
        guard let scheme = WebAddress(address)?.scheme else { return nil }
        let rest = address.utf8.dropFirst(scheme.rawValue.utf8.count + "://".utf8.count)
        let authority = Array(rest.prefix { !"/?#".utf8.contains($0) })
        guard authority.allSatisfy({ $0 < 0x80 }) else { return nil }
        let colon = authority.last == UInt8(ascii: "]") ? nil : authority.lastIndex(of: UInt8(ascii: ":"))
        let digits = colon.map { OutsideText.string(authority[($0 + 1)...]) ?? "" }
        guard let host = OutsideText.string(authority[..<(colon ?? authority.endIndex)].map(\.lowercased)),
            let port = digits.map({ UInt16($0) }) ?? PushOrigin.defaultPort(of: scheme)
        else { return nil }
        self.init(scheme: scheme, host: host, port: port)
    }

    private static func defaultPort(of scheme: WebAddress.Scheme) -> UInt16 {
        switch scheme {
        case .https: 443
        case .http: 80
        }
    }

    /// True if the host is one of the domains, or below one of them.
    func isWithin(_ domains: [String]) -> Bool {
        let name = host.utf8.last == UInt8(ascii: ".") ? host.utf8.dropLast() : host.utf8[...]
        return domains.contains { domain in
            let suffix = domain.utf8
            guard name.count > suffix.count else { return name.elementsEqual(suffix) }
            return name.suffix(suffix.count).elementsEqual(suffix)
                && name.dropLast(suffix.count).last == UInt8(ascii: ".")
        }
    }

    /// `host:port`, as publishers are shown it; nil for a host that is longer than a name may be.
    var authority: String? {
        host.utf8.count <= PushOrigin.hostBytesMaximum ? "\(host):\(port)" : nil
    }

    /// Of a name in the DNS, with its last dot.
    private static let hostBytesMaximum = 254

    var description: String {
        let isUsual = port == PushOrigin.defaultPort(of: scheme)
        return "\(scheme.rawValue)://\(host)" + (isUsual ? "" : ":\(port)")
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }
}
