/// TLS settings of a connection. The defaults verify the peer against the system's certificate authorities.
package struct TLSConfiguration: Sendable, Equatable {
    /// If false, neither the authority nor the host name is checked; requires an explicit setting.
    package var verifiesPeer = true
    /// A PEM file of authorities to trust instead of the system's.
    package var authorityFile: String?
    /// PEM files with this side's certificate chain and its private key.
    package var certificateFile: String?
    package var privateKeyFile: String?
    /// Protocols to offer, best first (ALPN); empty to offer none.
    package var applicationProtocols: [String] = []
    /// A read may then take more from the socket than it returns, which saves system calls: the caller must read until
    /// `wantRead` before it waits for the socket.
    package var readsAhead = false

    package init() {}
}
