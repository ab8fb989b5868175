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

    /// Resolves the host and reads certificates, both again for each connection, so that changes take effect.
    static func start(
        for place: Int, endpoint: HTTP2Endpoint, tls: TLSConfiguration,
        completion: @escaping @Sendable (HostLookup) -> Void
    ) {
        NativeThread(name: "http2-lookup") {
            let finding = Result { () throws(HTTP2Error) in
                try HTTP2Error.translating { () throws(TLSSocketError) in
                    Finding(
                        addresses: try SocketAddress.resolve(host: endpoint.host, port: endpoint.port),
                        tls: try TLSContext(tls))
                }
            }
            completion(HostLookup(place: place, finding: finding))
        }.detach()
    }
}
