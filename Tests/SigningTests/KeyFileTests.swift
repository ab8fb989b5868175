import ServiceKit
import Signing
import TestSupport
import Testing

/// A wrong key file is the operator's first obstacle: each kind of error names the file and the fix.
@Suite struct KeyFileTests {
    private let directory = TemporaryDirectory("keys")

    @Test func readsTheOlderFormOfAnECKey() async throws {
        let modern = try await OpenSSLCommand.makeKey("modern", options: OpenSSLCommand.p256, in: directory)
        try await OpenSSLCommand.run(["ec", "-in", modern, "-out", directory.file("older")])
        _ = try SigningKey(file: directory.file("older"), for: .es256)
    }

    @Test func aMissingFileIsNamed() {
        let file = directory.file("missing.p8")
        expectFailure(.unreadable, file: file, mentions: ["No such file", "name a file"], for: .es256)
    }

    @Test func aFolderIsNoKeyFile() {
        expectFailure(.unreadable, file: directory.path, mentions: ["not a key file"], for: .es256)
    }

    @Test func aLargeFileIsNoKeyFile() {
        let file = directory.write("large.p8", content: String(repeating: "-", count: 100_000))
        expectFailure(.unreadable, file: file, mentions: ["64 KiB"], for: .es256)
    }

    @Test(arguments: ["", "{\"private_key\": 1}", "\u{0}\u{1}", "-----BEGIN CERTIFICATE REQUEST-----"])
    func somethingElseIsNoKey(content: String) {
        let file = directory.write("key.p8", content: content)
        expectFailure(.notAKey, file: file, mentions: ["holds no key", "-----BEGIN PRIVATE KEY-----"], for: .es256)
    }

    @Test func aDamagedKeyIsCalledSo() {
        let file = directory.write("key.p8", content: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
        expectFailure(.notAKey, file: file, mentions: ["damaged"], for: .es256)
    }

    @Test func aPublicKeyOrACertificateIsCalledSo() async throws {
        let key = try await OpenSSLCommand.makeKey("key", options: OpenSSLCommand.p256, in: directory)
        try await OpenSSLCommand.run(["pkey", "-in", key, "-pubout", "-out", directory.file("public")])
        expectFailure(.notAKey, file: directory.file("public"), mentions: ["public key"], for: .es256)
        let authority = try await TestAuthority()
        expectFailure(.notAKey, file: authority.certificateFile, mentions: ["certificate"], for: .es256)
    }

    /// It must fail immediately, without waiting for a passphrase to be typed.
    @Test(arguments: ["-des3", "-aes256"])
    func aPassphraseIsNotAskedFor(cipher: String) async throws {
        let options = OpenSSLCommand.rsa2048 + [cipher, "-pass", "pass:secret"]
        let file = try await OpenSSLCommand.makeKey("encrypted", options: options, in: directory)
        expectFailure(.encrypted, file: file, mentions: ["passphrase", "openssl pkcs8 -topk8 -nocrypt"], for: .rs256)
    }

    @Test(arguments: [
        (OpenSSLCommand.p384, SigningAlgorithm.es256, "the curve secp384r1"),
        (OpenSSLCommand.rsa2048, .es256, "an RSA key of 2048 bits"),
        (OpenSSLCommand.p256, .rs256, "the curve prime256v1"),
        (OpenSSLCommand.rsa1024, .ps256, "an RSA key of 1024 bits"),
        (OpenSSLCommand.ed25519, .es256, "another type"),
    ])
    func anUnsuitableKeyIsDescribed(options: [String], algorithm: SigningAlgorithm, found: String) async throws {
        let file = try await OpenSSLCommand.makeKey("key", options: options, in: directory)
        expectFailure(.unsuitable, file: file, mentions: [found, algorithm.rawValue], for: algorithm)
    }

    @Test func aKeyFromElsewhereIsCalledByItsSource() {
        let error = #expect(throws: SigningError.self) {
            try SigningKey(pem: Secret("swordfish"), from: "private_key in google.json", for: .rs256)
        }
        #expect(error?.message.hasPrefix("private_key in google.json holds no key") == true)
        #expect(error?.message.contains("swordfish") == false)
    }

    private func expectFailure(
        _ code: SigningError.Code, file: String, mentions parts: [String], for algorithm: SigningAlgorithm,
        at location: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: SigningError.self, sourceLocation: location) {
            try SigningKey(file: file, for: algorithm)
        }
        #expect(error?.code == code, sourceLocation: location)
        for part in parts + [file] {
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")", sourceLocation: location)
        }
    }
}
