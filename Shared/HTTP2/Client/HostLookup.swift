import ServiceKit
import TLSSocket

/// Information required to open a connection; getting it may block.
struct HostLookup: Sendable {
    struct Finding: Sendable {
        let addresses: [SocketAddress]
        let tls: TLSContext

        /// After a failed attempt the next one starts with the next address: an address that drops all packets, such as
        /// a broken IPv6, uses up the whole time limit.
        func rotated(by count: Int) -> Finding {
            guard !addresses.isEmpty else { return self }
            let start = count % addresses.count
            return Finding(addresses: Array(addresses[start...] + addresses[..<start]), tls: tls)
        }
    }

    /// Index of the pool's place it is for.
    let place: Int
    let finding: Result<Finding, HTTP2Error>

    /// Resolves the host and reads certificates, both again for each connection, so that changes take effect. The
    /// connection goes to one of the addresses found here, and the name is not resolved again.
    static func start(
        for place: Int, endpoint: HTTP2Endpoint, tls: TLSConfiguration,
        permits: (@Sendable (IPAddress) -> Bool)? = nil, completion: @escaping @Sendable (HostLookup) -> Void
    ) {
        NativeThread(name: "http2-lookup") {
            let finding = Result { () throws(HTTP2Error) in
                let (addresses, tls) = try HTTP2Error.translating { () throws(TLSSocketError) in
                    (try SocketAddress.resolve(host: endpoint.host, port: endpoint.port), try TLSContext(tls))
                }
                return Finding(addresses: try permitted(addresses, of: endpoint, permits: permits), tls: tls)
            }
            completion(HostLookup(place: place, finding: finding))
        }.detach()
    }

    static func permitted(
        _ addresses: [SocketAddress], of endpoint: HTTP2Endpoint, permits: ((IPAddress) -> Bool)?
    ) throws(HTTP2Error) -> [SocketAddress] {
        guard let permits else { return addresses }
        let permitted = addresses.filter { $0.ipAddress.map(permits) ?? false }
        guard permitted.isEmpty else { return permitted }
        let refused = addresses.compactMap { $0.ipAddress?.description }.joined(separator: ", ")
        throw HTTP2Error(.addressRefused, message: "the address policy refuses \(endpoint.host) at \(refused)")
    }
}
