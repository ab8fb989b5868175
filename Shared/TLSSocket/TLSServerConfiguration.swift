/// How a server secures the connections it takes.
package struct TLSServerConfiguration: Sendable, Equatable {
    /// A PEM file with the certificate chain this side shows, and one with its private key.
    package var certificateFile: String
    package var privateKeyFile: String
    /// A PEM file of authorities whose certificates clients may show; nil to ask for none.
    package var clientAuthorityFile: String?
    /// What to agree on, best first (ALPN); a client that offers none of it is refused, one that offers nothing is not.
    package var applicationProtocols: [String] = []
    /// A connection keeps no buffers while nothing arrives, which saves some 34 KiB where thousands are idle and costs two
    /// reads a record where they are busy.
    package var savesMemory = false

    package init(certificateFile: String, privateKeyFile: String) {
        self.certificateFile = certificateFile
        self.privateKeyFile = privateKeyFile
    }
}
