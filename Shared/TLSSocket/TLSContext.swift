import COpenSSL
import Glibc

/// Settings shared by the connections to one kind of peer: trust, our certificate, protocols. Created once and used by
/// any number of threads.
///
/// `@unchecked Sendable`: OpenSSL counts references to a context atomically, and it is immutable after `init`.
package final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer
    let verifiesPeer: Bool
    let isServer: Bool
    /// In wire format: each name after its length. OpenSSL keeps the pointer for the lifetime of the context.
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    package init(_ configuration: TLSConfiguration) throws(TLSSocketError) {
        pointer = try TLSContext.make(TLS_client_method())
        isServer = false
        verifiesPeer = configuration.verifiesPeer
        protocols = TLSContext.wireForm(configuration.applicationProtocols)
        SSL_CTX_set_verify(pointer, configuration.verifiesPeer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        if configuration.readsAhead { carillon_ssl_context_read_ahead(pointer) }
        try trust(configuration.authorityFile)
        if let certificate = configuration.certificateFile {
            try identify(certificate, key: configuration.privateKeyFile ?? certificate)
        }
        try offerProtocols()
    }

    /// For the accepting side, which reads ahead unless it saves memory.
    package init(_ configuration: TLSServerConfiguration) throws(TLSSocketError) {
        pointer = try TLSContext.make(TLS_server_method())
        isServer = true
        verifiesPeer = configuration.clientAuthorityFile != nil
        protocols = TLSContext.wireForm(configuration.applicationProtocols)
        if configuration.savesMemory {
            carillon_ssl_context_release_buffers(pointer)
        } else {
            carillon_ssl_context_read_ahead(pointer)
        }
        try identify(configuration.certificateFile, key: configuration.privateKeyFile)
        if let authorities = configuration.clientAuthorityFile {
            try trust(authorities)
            SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
        }
        // No resumption, so no tickets; without a session id context, a client that tries to resume would fail.
        SSL_CTX_set_num_tickets(pointer, 0)
        SSL_CTX_set_session_id_context(pointer, "carillon", 8)
        if !protocols.isEmpty {
            SSL_CTX_set_alpn_select_cb(
                pointer, selectProtocol, Unmanaged.passUnretained(self).toOpaque())
        }
    }

    deinit {
        SSL_CTX_free(pointer)
        protocols.deallocate()
    }

    private static func make(_ method: OpaquePointer?) throws(TLSSocketError) -> OpaquePointer {
        ignoreBrokenPipes
        guard let pointer = SSL_CTX_new(method) else {
            throw TLSSocketError(.misconfigured, message: "OpenSSL failed to create a context: \(TLSErrors.take())")
        }
        guard carillon_ssl_context_require_tls_1_2(pointer) == 1 else {
            SSL_CTX_free(pointer)
            throw TLSSocketError(.misconfigured, message: "OpenSSL does not support TLS 1.2: \(TLSErrors.take())")
        }
        carillon_ssl_context_allow_partial_writes(pointer)
        return pointer
    }

    /// OpenSSL uses write(2), which raises SIGPIPE on a connection closed by the peer; the error number reports the
    /// same without ending the process.
    private static let ignoreBrokenPipes: Void = {
        var action = sigaction()
        sigaction(SIGPIPE, nil, &action)
        // An existing handler is kept.
        if action.__sigaction_handler.sa_handler == nil { signal(SIGPIPE, SIG_IGN) }
    }()

    private static func wireForm(_ protocols: [String]) -> UnsafeMutableBufferPointer<UInt8> {
        let list = protocols.flatMap { [UInt8(truncatingIfNeeded: $0.utf8.count)] + Array($0.utf8) }
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: list.count)
        _ = buffer.initialize(from: list)
        return buffer
    }

    private func trust(_ authorityFile: String?) throws(TLSSocketError) {
        guard let file = authorityFile else {
            SSL_CTX_set_default_verify_paths(pointer)
            return
        }
        guard SSL_CTX_load_verify_file(pointer, file) == 1 else {
            throw TLSSocketError(.misconfigured, message: "no certificate authority in \(file): \(TLSErrors.take())")
        }
    }

    private func identify(_ certificate: String, key: String) throws(TLSSocketError) {
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            throw TLSSocketError(.misconfigured, message: "no certificate in \(certificate): \(TLSErrors.take())")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
            throw TLSSocketError(
                .misconfigured, message: "no private key for \(certificate) in \(key): \(TLSErrors.take())")
        }
    }

    private func offerProtocols() throws(TLSSocketError) {
        guard !protocols.isEmpty else { return }
        // Unlike the calls around it, this one returns zero for success.
        guard SSL_CTX_set_alpn_protos(pointer, protocols.baseAddress, UInt32(protocols.count)) == 0 else {
            throw TLSSocketError(.misconfigured, message: "the application protocols cannot be offered")
        }
    }

    /// The first of our protocols that the client also offers.
    fileprivate func select(
        from offer: UnsafePointer<UInt8>?, _ length: UInt32
    ) -> (name: UnsafePointer<UInt8>, length: UInt8)? {
        var name: UnsafeMutablePointer<UInt8>?
        var nameLength: UInt8 = 0
        let ours = UInt32(protocols.count)
        let result = SSL_select_next_proto(&name, &nameLength, protocols.baseAddress, ours, offer, length)
        guard result == OPENSSL_NPN_NEGOTIATED, let name else { return nil }
        return (UnsafePointer(name), nameLength)
    }
}

private func selectProtocol(
    _ session: OpaquePointer?, name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    nameLength: UnsafeMutablePointer<UInt8>?, offer: UnsafePointer<UInt8>?, offerLength: UInt32,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    // A session retains its context, so the pointer is valid.
    let tls = Unmanaged<TLSContext>.fromOpaque(context).takeUnretainedValue()
    guard let choice = tls.select(from: offer, offerLength) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    name?.pointee = choice.name
    nameLength?.pointee = choice.length
    return SSL_TLSEXT_ERR_OK
}
