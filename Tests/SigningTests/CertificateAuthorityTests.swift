import ServiceKit
import Signing
import TestSupport
import Testing

@Suite struct CertificateAuthorityTests {
    private let folder = TemporaryDirectory("authority")

    /// OpenSSL's own command verifies the certificates.
    @Test func whatItIssuesIsBelieved() async throws {
        let authority = try CertificateAuthority(name: "Authority", validity: .seconds(3_600))
        let authorityFile = folder.write("ca.pem", content: authority.certificateText)
        let server = try authority.issue("localhost", for: .server(names: ["DNS:localhost", "IP:127.0.0.1"]))
        let serverFile = folder.write("server.pem", content: server.certificateText)
        try await OpenSSLCommand.run(
            [
                "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "localhost", "-CAfile",
                authorityFile, serverFile,
            ])
        let client = folder.write("client.pem", content: try authority.issue("somebody", for: .client).certificateText)
        try await OpenSSLCommand.run(
            ["verify", "-x509_strict", "-purpose", "sslclient", "-CAfile", authorityFile, client])
        await #expect(throws: (any Error).self) {
            try await OpenSSLCommand.run(["verify", "-purpose", "sslserver", "-CAfile", authorityFile, client])
        }
        let key = try SigningKey(pem: server.privateKeyText, from: "the certificate", for: .es256)
        #expect(try key.verificationKey.isSignature(key.sign([1, 2, 3]), of: [1, 2, 3]))
    }

    @Test(arguments: SigningAlgorithm.allCases) func aNewKeyCanBeReadBack(algorithm: SigningAlgorithm) throws {
        let key = try SigningKey.generated(for: algorithm)
        let copy = try SigningKey(pem: try key.privateKeyText(), from: "the test", for: algorithm)
        #expect(try key.verificationKey.isSignature(copy.sign([1, 2, 3]), of: [1, 2, 3]))
        #expect(try !key.verificationKey.isSignature(copy.sign([1, 2, 3]), of: [1, 2]))
    }
}
