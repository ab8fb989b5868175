import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing

@Suite struct VAPIDKeyTests {
    private let directory = TemporaryDirectory("vapid")

    @Test func aTokenNamesOriginExpiryAndContact() throws {
        let key = try VAPIDKey.generated()
        let text = try key.token(
            origin: "https://push.example.net", contact: "mailto:push@example.com",
            expiresAt: Timestamp(milliseconds: 1_453_523_768_999))
        let token = try #require(JSONWebToken(text.reveal()))
        #expect(String(decoding: token.header, as: UTF8.self) == #"{"alg":"ES256","typ":"JWT"}"#)
        #expect(
            String(decoding: token.claims, as: UTF8.self)
                == #"{"aud":"https://push.example.net","exp":1453523768,"sub":"mailto:push@example.com"}"#)
        let published = try #require(VerificationKey(p256Point: key.publicPoint))
        #expect(token.isSigned(by: published))
        #expect(key.publicText.utf8.count == 87 && Base64URL.decode(key.publicText) == key.publicPoint)
    }

    @Test func aKeyIsReadFromTheFileItWasWrittenTo() throws {
        let key = try VAPIDKey.generated()
        let file = directory.write("webpush.pem", content: try key.privateKeyText().reveal())
        #expect(try VAPIDKey(file: file).publicPoint == key.publicPoint)
    }

    /// The published point of RFC 8291 belongs to its private key; OpenSSL's command writes the same point compressed.
    @Test(arguments: ["uncompressed", "compressed"])
    func thePointIsWholeInAnyFile(form: String) async throws {
        let file = try await OpenSSLCommand.makeKey("key.pem", options: OpenSSLCommand.p256, in: directory)
        let other = directory.file("other.pem")
        try await OpenSSLCommand.run(["ec", "-in", file, "-conv_form", form, "-out", other])
        let text = try await OpenSSLCommand.run(["ec", "-in", file, "-pubout", "-conv_form", "uncompressed"])
        let expected = try VAPIDKey(file: file)
        #expect(expected.publicPoint.count == 65 && expected.publicPoint.first == 4)
        #expect(try VAPIDKey(file: other).publicPoint == expected.publicPoint)
        // The last 65 bytes of the public key's DER.
        let der = text.filter { !$0.hasPrefix("-----") && !$0.hasPrefix("read") && !$0.hasPrefix("writing") }.joined()
        #expect(der.hasSuffix(standardBase64Tail(of: expected.publicPoint)), "\(text)")
    }

    @Test func keysOfAnotherKindAreRefused() async throws {
        let file = try await OpenSSLCommand.makeKey("key.pem", options: OpenSSLCommand.p384, in: directory)
        let error = #expect(throws: SigningError.self) { try VAPIDKey(file: file) }
        #expect(error?.code == .unsuitable)
        let rsa = try SigningKey.generated(for: .rs256)
        #expect(throws: SigningError.self) { try VAPIDKey(rsa) }
    }

    @Test func aKeyDoesNotPrintItself() throws {
        var text = ""
        dump(try VAPIDKey.generated(), to: &text)
        #expect(!text.contains("PRIVATE"))
    }

    /// The DER before the point has 26 bytes: with its last 1, the 3 bytes that begin the text's common part.
    private func standardBase64Tail(of point: [UInt8]) -> String {
        let text = Base64URL.encode(Array(point.dropFirst()))
        return text.replacing("-", with: "+").replacing("_", with: "/") + "=="
    }
}
