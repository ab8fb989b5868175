import PushModel
import ServiceKit
import Signing
import TestSupport
import Testing

@Suite struct JWTSignerTests {
    private let directory = TemporaryDirectory("keys")

    @Test func aTokenHoldsHeaderClaimsAndSignature() async throws {
        let file = try await OpenSSLCommand.makeKey("AuthKey.p8", options: OpenSSLCommand.p256, in: directory)
        let key = try SigningKey(file: file, for: .es256)
        let text = try JWTSigner(key: key, keyID: "ABC123DEFG").sign { claims in
            claims.member("iss", "TEAM\"123456")
            claims.member("iat", 1_767_225_600)
        }
        let token = try #require(JSONWebToken(text.reveal()))
        #expect(token.isSigned(by: key.verificationKey))
        #expect(String(decoding: token.header, as: UTF8.self) == #"{"alg":"ES256","typ":"JWT","kid":"ABC123DEFG"}"#)
        #expect(String(decoding: token.claims, as: UTF8.self) == #"{"iss":"TEAM\"123456","iat":1767225600}"#)
        #expect("\(text)" == "[secret]")
    }

    @Test func aKeyWithoutAnIDLeavesItOut() async throws {
        let file = try await OpenSSLCommand.makeKey("key", options: OpenSSLCommand.rsa2048, in: directory)
        let key = try SigningKey(file: file, for: .ps256)
        let text = try JWTSigner(key: key).sign { $0.member("iss", "x") }
        let token = try #require(JSONWebToken(text.reveal()))
        #expect(String(decoding: token.header, as: UTF8.self) == #"{"alg":"PS256","typ":"JWT"}"#)
        #expect(token.isSigned(by: key.verificationKey))
    }

    /// The example of RFC 7515, appendix A.1, which is signed with HS256.
    @Test func aTokenOfOthersIsVerified() throws {
        let secret = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"
        let key = HMACKey(try #require(Base64URL.decode(secret)))
        let text = """
            eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt\
            cGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk
            """
        let token = try #require(JSONWebToken(text))
        #expect(token.isSigned(by: key))
        #expect(!token.isSigned(by: HMACKey([1])))
        let changed = try #require(JSONWebToken(text.replacing("eyJpc3Mi", with: "eyJpc3Mj")))
        #expect(!changed.isSigned(by: key))
    }

    @Test(arguments: ["", ".", "a.b", "YQ.YQ.YQ.YQ", "YQ==.YQ.YQ", "YQ.Y.YQ", "YQ.YQ.Y Q"])
    func whatIsNoTokenIsNotTakenApart(text: String) {
        #expect(JSONWebToken(text) == nil)
    }

    /// "alg": "none" with an empty signature is the oldest attack.
    @Test func anEmptySignatureIsNone() async throws {
        let file = try await OpenSSLCommand.makeKey("key", options: OpenSSLCommand.p256, in: directory)
        let key = try SigningKey(file: file, for: .es256)
        let token = try #require(JSONWebToken("eyJhbGciOiJub25lIn0.e30."))
        #expect(!token.isSigned(by: key.verificationKey))
    }
}
