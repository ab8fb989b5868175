import ServiceKit

/// The openssl command, which makes keys and certificates and verifies signatures.
package enum OpenSSLCommand {
    /// Returns the lines that the command printed.
    @discardableResult
    package static func run(_ arguments: [String]) async throws -> [String] {
        let process = try ChildProcess("openssl", arguments: arguments)
        // No line matches, so this waits for the end of the output, which may come after the end of the process.
        await process.line { _ in false }
        guard await process.end() == .exited(0) else {
            throw SetupError(description: process.lines.joined(separator: "\n"))
        }
        return process.lines
    }

    /// Makes a PKCS #8 private key and returns its file.
    package static func makeKey(_ name: String, options: [String], in directory: TemporaryDirectory) async throws
        -> String
    {
        try await run(["genpkey", "-quiet", "-out", directory.file(name)] + options)
        return directory.file(name)
    }

    package static let p256 = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    package static let p384 = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:secp384r1"]
    package static let rsa2048 = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    package static let rsa1024 = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:1024"]
    package static let ed25519 = ["-algorithm", "ED25519"]
}
