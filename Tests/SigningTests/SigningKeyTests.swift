import Glibc
import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing

@Suite struct SigningKeyTests {
    private let directory = TemporaryDirectory("keys")

    @Test func signsRS256AsPublished() throws {
        let key = try SigningKey(pem: Secret(PublishedKeys.rs256Key), from: "RFC 7515", for: .rs256)
        let signature = try key.sign(Array(PublishedKeys.rs256Input.utf8))
        #expect(Base64URL.encode(signature) == PublishedKeys.rs256Signature)
    }

    @Test func verifiesES256AsPublished() throws {
        let x = try #require(Base64URL.decode(PublishedKeys.es256X))
        let y = try #require(Base64URL.decode(PublishedKeys.es256Y))
        let key = try #require(VerificationKey(p256Point: [4] + x + y))
        try expectSignedAndNothingElse(PublishedKeys.es256Token, key: key)
    }

    @Test func verifiesVAPIDAsPublished() throws {
        let key = try #require(VerificationKey(p256Point: Base64URL.decode(PublishedKeys.vapidKey) ?? []))
        try expectSignedAndNothingElse(PublishedKeys.vapidToken, key: key)
    }

    @Test(arguments: SigningAlgorithm.allCases)
    func whatItSignsIsVerified(algorithm: SigningAlgorithm) async throws {
        let key = try await makeKey(for: algorithm)
        let stranger = try await makeKey(for: algorithm, "other")
        let message = Array("ding dong".utf8)
        let signature = try key.sign(message)
        #expect(signature.count == (algorithm == .es256 ? 64 : 256))
        #expect(key.verificationKey.isSignature(signature, of: message))
        #expect(!key.verificationKey.isSignature(signature, of: message + message))
        #expect(!stranger.verificationKey.isSignature(signature, of: message))
        for length in [0, 1, signature.count - 1] {
            #expect(!key.verificationKey.isSignature(Array(signature.prefix(length)), of: message))
        }
    }

    /// PS256 has no published vector, since its salt is random: another implementation verifies it.
    @Test(arguments: [
        (SigningAlgorithm.ps256, ["rsa_padding_mode:pss", "rsa_pss_saltlen:digest"]),
        (.rs256, ["rsa_padding_mode:pkcs1"]),
    ])
    func theOpenSSLCommandAcceptsIt(algorithm: SigningAlgorithm, options: [String]) async throws {
        let key = try await makeKey(for: algorithm)
        let message = directory.write("message", content: "ding dong")
        let signature = directory.file("signature")
        try write(key.sign(Array("ding dong".utf8)), to: signature)
        let verdict = try await OpenSSLCommand.run(
            ["dgst", "-sha256", "-prverify", directory.file("key")] + options.flatMap { ["-sigopt", $0] }
                + ["-signature", signature, message])
        #expect(verdict == ["Verified OK"])
    }

    /// The numbers of an ECDSA signature are shorter than 32 bytes about once in a hundred times.
    @Test func shortNumbersOfASignatureAreFilledUp() async throws {
        let key = try await makeKey(for: .es256)
        for number in 0..<1_000 {
            let message = Array("message \(number)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(key.verificationKey.isSignature(signature, of: message))
        }
    }

    @Test func aPointOffTheCurveIsRefused() throws {
        var point = try #require(Base64URL.decode(PublishedKeys.vapidKey))
        point[64] ^= 1
        #expect(VerificationKey(p256Point: point) == nil)
        #expect(VerificationKey(p256Point: []) == nil)
        #expect(VerificationKey(p256Point: [UInt8](repeating: 4, count: 65)) == nil)
    }

    @Test func aKeyDoesNotPrintItself() async throws {
        let key = try await makeKey(for: .es256)
        var text = ""
        dump(key, to: &text)
        dump(JWTSigner(key: key), to: &text)
        #expect(!text.contains("PRIVATE") && !"\(key)".contains("PRIVATE"))
    }

    private func makeKey(for algorithm: SigningAlgorithm, _ name: String = "key") async throws -> SigningKey {
        let options = algorithm == .es256 ? OpenSSLCommand.p256 : OpenSSLCommand.rsa2048
        let file = try await OpenSSLCommand.makeKey(name, options: options, in: directory)
        return try SigningKey(file: file, for: algorithm)
    }

    private func expectSignedAndNothingElse(_ text: String, key: VerificationKey) throws {
        let token = try #require(JSONWebToken(text))
        #expect(token.isSigned(by: key))
        let parts = text.split(separator: ".").map(String.init)
        let otherClaims = try #require(JSONWebToken("\(parts[0]).\(parts[0]).\(parts[2])"))
        #expect(!otherClaims.isSigned(by: key))
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        let stream = try #require(fopen(path, "w"))
        defer { fclose(stream) }
        #expect(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
    }
}
