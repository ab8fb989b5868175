import COpenSSL
import Glibc
import ServiceKit

/// Reads a private key from PEM text, and describes the problem of an invalid one.
struct PrivateKeyText {
    let pem: Secret
    /// The file, or the field of a file, that contains the text.
    let source: String

    static let bytesMaximum = 64 << 10

    static func read(file: String) throws(SigningError) -> PrivateKeyText {
        guard access(file, R_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw SigningError(
                .unreadable,
                message: "the key file \(file) cannot be read (\(reason)): name a file that this user can read")
        }
        guard let bytes = SmallFile.read(file, bytesMaximum: bytesMaximum) else {
            throw SigningError(
                .unreadable,
                message:
                    "\(file) is not a key file of at most \(bytesMaximum >> 10) KiB: name the PEM file with the key"
            )
        }
        return PrivateKeyText(pem: Secret(OutsideText.replacing(bytes)), source: file)
    }

    func parse() throws(SigningError) -> KeyHandle {
        var asksForPassphrase = false
        let key = decode(&asksForPassphrase)
        let reason = OpenSSLErrors.take()
        if let key { return KeyHandle(owning: key) }
        throw asksForPassphrase ? encrypted : notAKey(reason)
    }

    private func decode(_ asksForPassphrase: inout Bool) -> OpaquePointer? {
        var text = pem.reveal()
        return text.withUTF8 { bytes in
            guard let memory = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(memory) }
            return withUnsafeMutablePointer(to: &asksForPassphrase) {
                PEM_read_bio_PrivateKey(memory, nil, refusePassphrase, $0)
            }
        }
    }

    private var encrypted: SigningError {
        SigningError(
            .encrypted,
            message: """
                the key in \(source) is protected by a passphrase: write it without one \
                (openssl pkcs8 -topk8 -nocrypt -in KEY -out NEW) and keep the file readable for this user alone
                """)
    }

    private func notAKey(_ reason: String) -> SigningError {
        let text = pem.reveal()
        let cure = "it must contain a private key in PEM form, starting with -----BEGIN PRIVATE KEY-----"
        let finding =
            if text.contains("-----BEGIN PUBLIC KEY-----") {
                "holds a public key"
            } else if text.contains("-----BEGIN CERTIFICATE-----") {
                "holds a certificate"
            } else if text.contains("PRIVATE KEY-----") {
                "holds a damaged key (\(reason))"
            } else {
                "holds no key"
            }
        return SigningError(.notAKey, message: "\(source) \(finding): \(cure)")
    }
}

/// Records that OpenSSL requested a passphrase; without this function OpenSSL would prompt on the terminal and block.
private func refusePassphrase(
    _ buffer: UnsafeMutablePointer<CChar>?, size: Int32, isForWriting: Int32, asked: UnsafeMutableRawPointer?
) -> Int32 {
    asked?.assumingMemoryBound(to: Bool.self).pointee = true
    return -1
}
