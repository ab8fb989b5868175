import COpenSSL
import Glibc

/// What the connections to one kind of peer share: trust, our own certificate, protocols. Made once and used by any
/// number of threads.
///
/// `@unchecked Sendable`: OpenSSL counts references to a context atomically, and nothing changes it after `init`.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let verifiesPeer: Bool

    package init(_ configuration: TLSConfiguration) throws(TLSSocketError) {
        TLSContext.ignoreBrokenPipes
        guard let pointer = SSL_CTX_new(TLS_client_method()) else {
            throw TLSSocketError(.misconfigured, "OpenSSL gave no context: \(OpenSSLErrors.take())")
        }
        self.pointer = pointer
        verifiesPeer = configuration.verifiesPeer
        guard carillon_ssl_context_require_tls_1_2(pointer) == 1 else {
            throw TLSSocketError(.misconfigured, "OpenSSL has no TLS 1.2: \(OpenSSLErrors.take())")
        }
        carillon_ssl_context_allow_partial_writes(pointer)
        SSL_CTX_set_verify(pointer, configuration.verifiesPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        try trust(configuration)
        try identify(configuration)
        try offer(configuration.applicationProtocols)
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// OpenSSL writes with write(2), which raises SIGPIPE on a connection the peer has closed; the error number that
    /// comes with it says the same and does not end the process.
    private static let ignoreBrokenPipes: Void = {
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        // A handler somebody has installed stays.
        if action.__sigaction_handler.sa_handler == nil { signal(SIGPIPE, SIG_IGN) }
    }()

    private func trust(_ configuration: TLSConfiguration) throws(TLSSocketError) {
        guard let file = configuration.authorityFile else {
            SSL_CTX_set_default_verify_paths(pointer)
            return
        }
        guard SSL_CTX_load_verify_file(pointer, file) == 1 else {
            throw TLSSocketError(.misconfigured, "no certificate authority in \(file): \(OpenSSLErrors.take())")
        }
    }

    private func identify(_ configuration: TLSConfiguration) throws(TLSSocketError) {
        guard let certificate = configuration.certificateFile else { return }
        let key = configuration.privateKeyFile ?? certificate
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            throw TLSSocketError(.misconfigured, "no certificate in \(certificate): \(OpenSSLErrors.take())")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
            throw TLSSocketError(
                .misconfigured, "no private key for \(certificate) in \(key): \(OpenSSLErrors.take())")
        }
    }

    private func offer(_ protocols: [String]) throws(TLSSocketError) {
        guard !protocols.isEmpty else { return }
        let list = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        // Unlike its neighbours this call returns zero for success.
        guard SSL_CTX_set_alpn_protos(pointer, list, UInt32(list.count)) == 0 else {
            throw TLSSocketError(.misconfigured, "the protocols \(protocols) cannot be offered")
        }
    }
}
