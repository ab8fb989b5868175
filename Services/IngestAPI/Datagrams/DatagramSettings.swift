import ServiceKit

/// Where events are received over UDP, and what a sender may do there whose address can be forged.
struct DatagramSettings: Sendable, Equatable {
    /// What is refused unless it is named.
    enum Allowance: String, CaseIterable, Sendable {
        /// Ending all subscriptions to an event.
        case delete
        /// Notifying all devices of an app.
        case broadcast
    }

    let address: String
    let port: UInt16
    var allows: Set<Allowance> = []

    /// A port, or an address and a port; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, let port = UInt16(last) else { return nil }
        self.port = port
        let host = text.dropLast(last.count + 1)
        guard parts.count > 1 else {
            address = DatagramSettings.loopback
            return
        }
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : String(host)
        // Without brackets the port of an IPv6 address would be part of it.
        guard let ip = IPAddress(name), isBracketed == name.utf8.contains(UInt8(ascii: ":")) else { return nil }
        address = "\(ip)"
    }

    private static let loopback = "127.0.0.1"

    /// Nil unless it is set.
    init?(environment: inout EnvironmentReader) {
        let given = environment.parse(
            "CARILLON_INGEST_UDP", default: DatagramSettings?.none, text: "",
            meaning:
                "Port, or address and port, for events of pushd's publishers over UDP; off by default. Senders are "
                + "trusted by their address; see the threat model.",
            expected: "a port, or an address and a port such as 127.0.0.1:8125 or [::1]:8125",
            convert: { DatagramSettings($0) })
        let names = Allowance.allCases.map(\.rawValue).joined(separator: ",")
        let allows = environment.parse(
            "CARILLON_INGEST_UDP_ALLOWS", default: Set<Allowance>(), text: "",
            meaning: "What a datagram may do besides publishing to the subscribers of an event: delete, broadcast.",
            expected: "a list of \(names)"
        ) { text in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let known = parts.compactMap { Allowance(rawValue: String($0)) }
            return known.count == parts.count ? Set(known) : nil
        }
        guard var settings = given else { return nil }
        settings.allows = allows
        self = settings
    }
}
