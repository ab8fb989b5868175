import COpenSSL
package import ServiceKit

/// A private certificate authority for loopback: clients configured with `certificateText` trust the certificates it
/// issues. Its key is never written, so nothing can be issued after it is released.
package final class CertificateAuthority: Sendable {
    package struct Issued: Sendable {
        /// PEM.
        package let certificateText: String
        package let privateKeyText: Secret
    }

    package enum Purpose: Sendable {
        /// For a server; each name in the form `DNS:localhost` or `IP:127.0.0.1`.
        case server(names: [String])
        case client
    }

    /// PEM.
    package let certificateText: String
    private let certificate: CertificateHandle
    private let key: SigningKey
    private let validity: Duration

    package init(name: String, validity: Duration) throws(SigningError) {
        self.validity = validity
        key = try SigningKey.generated(for: .es256)
        certificate = try CertificateHandle.make(
            subject: name, publicKey: key.handle, signedBy: key.handle, issuer: nil, validity: validity,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ])
        certificateText = try certificate.text()
    }

    /// A certificate for that common name, with its own key.
    package func issue(_ name: String, for purpose: Purpose) throws(SigningError) -> Issued {
        let subjectKey = try SigningKey.generated(for: .es256)
        let issued = try CertificateHandle.make(
            subject: name, publicKey: subjectKey.handle, signedBy: key.handle, issuer: certificate,
            validity: validity, extensions: extensions(for: purpose))
        return Issued(certificateText: try issued.text(), privateKeyText: try subjectKey.privateKeyText())
    }

    private func extensions(for purpose: Purpose) -> [(Int32, String)] {
        let common = [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_authority_key_identifier, "keyid:always"),
        ]
        switch purpose {
        case .server(let names):
            return common + [
                (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, names.joined(separator: ",")),
            ]
        case .client: return common + [(NID_ext_key_usage, "clientAuth")]
        }
    }
}
