import COpenSSL
import Glibc
import ServiceKit

/// The TLS state of one socket; confined to the socket's thread.
final class TLSSession {
    private let pointer: OpaquePointer
    private let context: TLSContext

    /// For the connecting side.
    convenience init(_ context: TLSContext, serverName: String) throws(TLSSocketError) {
        try self.init(context)
        SSL_set_connect_state(pointer)
        guard expect(serverName) else {
            throw TLSSocketError(.misconfigured, message: "\(serverName) cannot be verified: \(TLSErrors.take())")
        }
    }

    /// For the accepting side.
    convenience init(accepting context: TLSContext) throws(TLSSocketError) {
        try self.init(context)
        SSL_set_accept_state(pointer)
    }

    private init(_ context: TLSContext) throws(TLSSocketError) {
        guard let pointer = SSL_new(context.pointer) else {
            throw TLSSocketError(.misconfigured, message: "OpenSSL failed to create a session: \(TLSErrors.take())")
        }
        self.pointer = pointer
        self.context = context
    }

    deinit {
        SSL_free(pointer)
    }

    func attach(_ descriptor: Int32) throws(TLSSocketError) {
        guard SSL_set_fd(pointer, descriptor) == 1 else {
            throw TLSSocketError(.broken, message: "OpenSSL rejected the socket: \(TLSErrors.take())")
        }
    }

    func handshake(with peer: String) throws(TLSSocketError) -> TLSSocket.Progress {
        ERR_clear_error()
        let result = SSL_do_handshake(pointer)
        if result == 1 { return .done }
        switch SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ: return .wantRead
        case SSL_ERROR_WANT_WRITE: return .wantWrite
        default: throw handshakeFailure(with: peer)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSSocketError) -> TLSSocket.Transfer {
        ERR_clear_error()
        var count = 0
        let result = SSL_read_ex(pointer, buffer.baseAddress, buffer.count, &count)
        return result == 1 ? .bytes(count) : try obstacle(result)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(TLSSocketError) -> TLSSocket.Transfer {
        ERR_clear_error()
        var count = 0
        let result = SSL_write_ex(pointer, bytes.baseAddress, bytes.count, &count)
        return result == 1 ? .bytes(count) : try obstacle(result)
    }

    /// Sends close_notify, so that the peer can distinguish a complete stream from a truncated one.
    func sayGoodbye() {
        ERR_clear_error()
        SSL_shutdown(pointer)
        ERR_clear_error()
    }

    var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(pointer, &name, &length)
        guard let name, length > 0 else { return nil }
        return OutsideText.replacing(UnsafeBufferPointer(start: name, count: Int(length)))
    }

    /// The common name of the peer's certificate.
    var peerName: String? {
        guard let certificate = SSL_get0_peer_certificate(pointer) else { return nil }
        var name = [CChar](repeating: 0, count: 256)
        let subject = X509_get_subject_name(certificate)
        let length = X509_NAME_get_text_by_NID(subject, NID_commonName, &name, Int32(name.count))
        return length < 0 ? nil : OutsideText.replacing(cString: name)
    }

    /// A numeric host is checked against the certificate's addresses and not sent as SNI, which RFC 6066 forbids.
    private func expect(_ serverName: String) -> Bool {
        if isNumeric(serverName) {
            return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(pointer), serverName) == 1
        }
        SSL_set_hostflags(pointer, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        return SSL_set1_host(pointer, serverName) == 1 && carillon_ssl_set_server_name(pointer, serverName) == 1
    }

    private func isNumeric(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }

    private func obstacle(_ result: Int32) throws(TLSSocketError) -> TLSSocket.Transfer {
        switch SSL_get_error(pointer, result) {
        case SSL_ERROR_WANT_READ: return .wantRead
        case SSL_ERROR_WANT_WRITE: return .wantWrite
        case SSL_ERROR_ZERO_RETURN: return .end
        default: throw TLSSocketError(.broken, message: "the TLS connection broke: \(TLSErrors.take())")
        }
    }

    private func handshakeFailure(with peer: String) -> TLSSocketError {
        let verdict = SSL_get_verify_result(pointer)
        if context.verifiesPeer && verdict != Int(X509_V_OK) {
            let reason = String(cString: X509_verify_cert_error_string(verdict))
            return TLSSocketError(.untrusted, message: "the certificate of \(peer) is not trusted: \(reason)")
        }
        return TLSSocketError(.handshake, message: "TLS handshake with \(peer) failed: \(TLSErrors.take())")
    }
}
