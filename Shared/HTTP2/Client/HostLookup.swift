import ServiceKit
import TLSSocket

/// What must be known before a connection can be opened; finding it out may block.
struct HostLookup: Sendable {
    struct Finding: Sendable {
        let addresses: [SocketAddress]
        let tls: TLSContext

        /// After a failed attempt the next one begins with the next address: one that swallows what is sent to it, as a
        /// broken IPv6 does, takes all the time there is.
        func rotated(by count: Int) -> Finding {
            guard !addresses.isEmpty else { return self }
            let start = count % addresses.count
            return Finding(addresses: Array(addresses[start...] + addresses[..<start]), tls: tls)
        }
    }

    /// For which of the pool's places.
    let place: Int
    let finding: Result<Finding, HTTP2Error>

    /// Asks the resolver and reads certificates, both anew for each connection, so that changes are taken up.
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
