/// How a connection is secured. The defaults verify the peer against the system's certificate authorities.
package struct TLSConfiguration: Sendable, Equatable {
    /// Turned off only by someone who asks for it in plain words; then neither authority nor host name is checked.
    package var verifiesPeer = true
    /// A PEM file of authorities to trust instead of the system's.
    package var authorityFile: String?
    /// A PEM file with the certificate chain this side shows, and one with its private key.
    package var certificateFile: String?
    package var privateKeyFile: String?
    /// What to offer, best first (ALPN); empty to offer nothing.
    package var applicationProtocols: [String] = []
    /// A read may then take more from the socket than it returns, which saves calls: whoever sets it reads until
    /// `wantRead` before it waits for the socket.
    package var readsAhead = false

    package init() {}
}
