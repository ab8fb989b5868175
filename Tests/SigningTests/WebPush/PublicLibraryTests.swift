import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing

/// Libraries of others, as installed by `make deps`: http-ece decrypts what was encrypted, py-vapid verifies tokens.
@Suite struct PublicLibraryTests {
    /// The command of py-vapid; http-ece has none.
    private static let areInstalled = SourceTree.hasExecutable(".venv/bin/vapid")
    private static let python = SourceTree.path(".venv/bin/python")
    private let directory = TemporaryDirectory("web-push")

    @Test(.enabled(if: PublicLibraryTests.areInstalled)) func httpECEDecrypts() async throws {
        let browser = try #require(ECDHKey(privateKey: PublishedPush.browserKey))
        let keys = try #require(PublishedPush.keys())
        #expect(browser.publicPoint == keys.publicKey)
        let plaintexts = [0, 1, 300, 3_993].map { SecureRandom.bytes($0) }
        let lines = try plaintexts.map { plaintext in
            let body = try WebPushEncryption.encrypt(plaintext, for: keys)
            return "\(Hexadecimal.encode(body)) \(Hexadecimal.encode(plaintext))"
        }
        let output = try await run(
            """
            import http_ece, sys
            from cryptography.hazmat.primitives.asymmetric import ec
            key = ec.derive_private_key(int(sys.argv[2], 16), ec.SECP256R1())
            for line in open(sys.argv[1]):
                body, plain = map(bytes.fromhex, line.rstrip("\\n").split(" "))
                secret = bytes.fromhex(sys.argv[3])
                assert http_ece.decrypt(body, private_key=key, auth_secret=secret, version="aes128gcm") == plain
                print("decrypted", len(plain))
            """,
            arguments: [
                directory.write("bodies", content: lines.joined(separator: "\n") + "\n"),
                Hexadecimal.encode(PublishedPush.browserKey), Hexadecimal.encode(keys.secret),
            ])
        #expect(output == plaintexts.map { "decrypted \($0.count)" })
    }

    @Test(.enabled(if: PublicLibraryTests.areInstalled)) func pyVAPIDVerifies() async throws {
        let key = try VAPIDKey.generated()
        let token = try key.token(
            origin: "https://push.example.net:8443", contact: "mailto:push@example.com",
            expiresAt: SystemTimeSource().now + .seconds(3_600))
        // Another audience under the same signature.
        let parts = token.reveal().split(separator: ".")
        let changed = "\(parts[0]).\(Base64URL.encode(Array(#"{"aud":"https://a.example"}"#.utf8))).\(parts[2])"
        let output = try await run(
            """
            import sys
            from py_vapid import Vapid02
            header, changed, key = sys.argv[1:]
            print(Vapid02.verify(header), Vapid02.verify(changed))
            print(Vapid02.from_file(key).sign({"sub": "mailto:a@example.com", "aud": "https://a.example"})
                ["Authorization"].split("k=")[1])
            """,
            arguments: [
                "vapid t=\(token.reveal()),k=\(key.publicText)", "vapid t=\(changed),k=\(key.publicText)",
                directory.write("key.pem", content: try key.privateKeyText().reveal()),
            ])
        #expect(output == ["True False", key.publicText])
    }

    private func run(_ program: String, arguments: [String]) async throws -> [String] {
        let process = try ChildProcess(PublicLibraryTests.python, arguments: ["-c", program] + arguments)
        // No line matches, so this waits for the end of the output.
        await process.line { _ in false }
        #expect(await process.end(within: .hangLimit) == .exited(0), "\(process.lines)")
        return process.lines
    }
}
