import COpenSSL
import ServiceKit

/// Owns an OpenSSL certificate and frees it with the last reference.
///
/// `@unchecked Sendable`: a certificate is immutable after signing.
final class CertificateHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        X509_free(pointer)
    }

    /// Without an issuer it is self-signed. Each extension is OpenSSL's number and a value as in a configuration file.
    static func make(
        subject: String, publicKey: KeyHandle, signedBy signer: KeyHandle, issuer: CertificateHandle?,
        validity: Duration, extensions: [(Int32, String)]
    ) throws(SigningError) -> CertificateHandle {
        guard let pointer = X509_new() else { throw failure }
        let certificate = CertificateHandle(owning: pointer)
        let issuerPointer = issuer?.pointer ?? pointer
        let isMade =
            X509_set_version(pointer, version3) == 1 && setSerialNumber(pointer)
            && setTimes(pointer, validity: validity)
            && setSubject(pointer, name: subject)
            && X509_set_issuer_name(pointer, X509_get_subject_name(issuerPointer)) == 1
            && X509_set_pubkey(pointer, publicKey.pointer) == 1
            && extensions.allSatisfy { add($0.0, value: $0.1, to: pointer, issuer: issuerPointer) }
            && X509_sign(pointer, signer.pointer, EVP_sha256()) > 0
        guard isMade else { throw failure }
        return certificate
    }

    func text() throws(SigningError) -> String {
        guard let text = PEMText.write({ PEM_write_bio_X509($0, pointer) }) else { throw CertificateHandle.failure }
        return text
    }

    /// X.509 counts versions from zero.
    private static let version3 = 2

    private static func setSerialNumber(_ certificate: OpaquePointer) -> Bool {
        // The sign bit stays clear: a serial number is positive.
        let number = SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } >> 1
        return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), number) == 1
    }

    /// Valid from one hour ago, for machines with different clocks.
    private static func setTimes(_ certificate: OpaquePointer, validity: Duration) -> Bool {
        X509_gmtime_adj(X509_getm_notBefore(certificate), -3_600) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), Int(validity.components.seconds)) != nil
    }

    private static func setSubject(_ certificate: OpaquePointer, name: String) -> Bool {
        let bytes = Array(name.utf8)
        return X509_NAME_add_entry_by_txt(
            X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1
    }

    private static func add(
        _ number: Int32, value: String, to certificate: OpaquePointer, issuer: OpaquePointer
    ) -> Bool {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard let addition = X509V3_EXT_conf_nid(nil, &context, number, value) else { return false }
        defer { X509_EXTENSION_free(addition) }
        return X509_add_ext(certificate, addition, -1) == 1
    }

    private static var failure: SigningError {
        SigningError(.failed, message: "OpenSSL failed to create a certificate: \(OpenSSLErrors.take())")
    }
}
