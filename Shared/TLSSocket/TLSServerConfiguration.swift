/// TLS settings of a server.
package struct TLSServerConfiguration: Sendable, Equatable {
    /// PEM files with this side's certificate chain and its private key.
    package var certificateFile: String
    package var privateKeyFile: String
    /// A PEM file of authorities for client certificates; nil to request none.
    package var clientAuthorityFile: String?
    /// Protocols to accept, best first (ALPN). A client offering only others is rejected, one without ALPN is not.
    package var applicationProtocols: [String] = []
    /// Idle connections keep no buffers, which saves some 34 KiB each where thousands are idle and costs two reads per
    /// record where they are busy.
    package var savesMemory = false

    package init(certificateFile: String, privateKeyFile: String) {
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
    }
}
