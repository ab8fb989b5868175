/// A certificate authority and one certificate for `localhost` and 127.0.0.1, made by the openssl command.
package final class TestAuthority: Sendable {
    package let directory = TemporaryDirectory("authority")
    package var authorityFile: String { directory.file("ca.pem") }
    package var certificateFile: String { directory.file("server.pem") }
    package var keyFile: String { directory.file("server.key") }

    package init() async throws {
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try await OpenSSLCommand.run(
            ["req", "-x509", "-days", "2", "-subj", "/CN=Test authority", "-keyout", directory.file("ca.key")]
                + newKey + ["-out", authorityFile])
        try await OpenSSLCommand.run(
            ["req", "-x509", "-days", "2", "-subj", "/CN=localhost", "-keyout", keyFile, "-out", certificateFile]
                + newKey + ["-CA", authorityFile, "-CAkey", directory.file("ca.key")]
                + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-addext", "basicConstraints=CA:FALSE"])
    }
}
