import PushModel
import ServiceKit

/// Which addresses devices may have: browsers, Windows devices and publishers' own servers are registered by theirs.
///
/// This gives an early and exact error. It is no protection on its own: a name may resolve to any address, so the sender
/// judges the one that it connects to.
struct DeviceAddressRules: Sendable {
    static let wnsDomains = ["notify.windows.com"]
    static let mpnsDomains = ["notify.live.net"]
    static let allowVariable = "CARILLON_INGEST_ALLOW_ADDRESSES"

    var policy = AddressPolicy()
    /// The sender authorizes itself to these hosts, and to those below them.
    var wnsDomains = DeviceAddressRules.wnsDomains
    var mpnsDomains = DeviceAddressRules.mpnsDomains

    /// The token of a registration, in the form of its provider, and at a permitted host if it is an address.
    func token(_ kind: PushProtocol, text: String) throws(InvalidValueError) -> PushToken {
        let token = try PushToken(kind, text: text)
        switch kind {
        case .apns, .fcm, .huawei: break
        case .liveActivity, .channel: throw InvalidValueError("expected the token of a device")
        case .webpush: try check(token, expected: "an https:// address", domains: nil)
        case .wns: try check(token, expected: "an https:// address", domains: wnsDomains)
        case .mpns: try check(token, expected: "an http:// or https:// address", domains: mpnsDomains)
        case .http: try check(token, expected: "an http:// or https:// address", domains: nil)
        }
        return token
    }

    /// `domains` is nil for any host.
    private func check(_ token: PushToken, expected: String, domains: [String]?) throws(InvalidValueError) {
        guard let address = WebAddress(token.text), !token.text.utf8.contains(UInt8(ascii: "#")) else {
            throw InvalidValueError("expected \(expected) with a host and without user name, password and fragment")
        }
        if let domains, !domains.contains(where: { DeviceAddressRules.isHost(address.host, of: $0) }) {
            throw InvalidValueError("expected \(expected) at a host of \(domains.joined(separator: " or "))")
        }
        guard policy.mayPermit(host: address.host) else {
            throw InvalidValueError(
                "expected \(expected) at a public host; \(DeviceAddressRules.allowVariable) allows others")
        }
    }

    /// Both are in lower case.
    private static func isHost(_ host: String, of domain: String) -> Bool {
        let (name, end) = (Array(host.utf8), Array(domain.utf8))
        guard name.count > end.count else { return name == end }
        return name.suffix(end.count).elementsEqual(end) && name[name.count - end.count - 1] == UInt8(ascii: ".")
    }
}

extension DeviceAddressRules {
    init(environment: inout EnvironmentReader) {
        policy = AddressPolicy(
            allowing: DeviceAddressRules.allowVariable, for: "pushes", environment: &environment)
        wnsDomains = DeviceAddressRules.domains(
            "CARILLON_INGEST_WNS_DOMAINS", default: DeviceAddressRules.wnsDomains, of: "wns", environment: &environment)
        mpnsDomains = DeviceAddressRules.domains(
            "CARILLON_INGEST_MPNS_DOMAINS", default: DeviceAddressRules.mpnsDomains, of: "mpns",
            environment: &environment)
    }

    private static func domains(
        _ name: String, default domains: [String], of kind: String, environment: inout EnvironmentReader
    ) -> [String] {
        environment.parse(
            name, default: domains, text: domains.joined(separator: ","),
            meaning: "Hosts, separated by commas, at which and below which the addresses of \(kind) devices may be.",
            expected: "host names in lower case, separated by commas, such as \(domains.joined(separator: ","))"
        ) { text in
            let names = text.split(separator: ",").map { String($0.drop { $0 == " " }) }
            let areNames = names.allSatisfy { name in
                !name.isEmpty
                    && name.utf8.allSatisfy { $0.isASCIILowercase || $0.isASCIIDigit || "-._:".utf8.contains($0) }
            }
            return areNames && !names.isEmpty ? names : nil
        }
    }
}
