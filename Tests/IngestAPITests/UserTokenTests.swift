import Apps
import PushModel
import ServiceKit
import Signing
import Testing

@testable import IngestAPI

/// Tokens that say who the user of a device is: strict in every part, since nothing else says it.
@Suite struct UserTokenTests {
    static let now = Timestamp(milliseconds: 1_767_225_600_000)
    private static let seconds = now.milliseconds / 1_000
    private static let header = #"{"alg":"HS256","typ":"JWT"}"#
    private static let claims = #"{"sub":"ada","exp":\#(seconds + 600)}"#

    private static func claims(_ members: String) -> String { "{\(members)}" }

    private static func signed(
        _ header: String, _ claims: String, secret: [UInt8] = IngestFixture.userTokenSecret
    ) -> String {
        let input = "\(Base64URL.encode(Array(header.utf8))).\(Base64URL.encode(Array(claims.utf8)))"
        return "\(input).\(Base64URL.encode(HMACKey(secret).code(for: Array(input.utf8))))"
    }

    /// A token as a backend makes it.
    static func token(of user: String, at now: Timestamp) -> String {
        let claims = JSONText.object { json in
            json.member("sub", user)
            json.member("exp", Int(now.milliseconds / 1_000) + 600)
        }
        return signed(header, claims)
    }

    private func user(_ token: String) throws(InvalidValueError) -> String {
        let key = UserTokenKey(fileContent: IngestFixture.userTokenSecret)
        guard let key, let app = try? AppID("news") else { throw InvalidValueError("no key") }
        return try UserToken.user(token, key: key, app: app, now: Self.now).value
    }

    @Test(arguments: [
        claims, #"{"sub":"ada","exp":\#(seconds - 59)}"#, #"{"sub":"ada","exp":\#(seconds + 86_460)}"#,
        #"{"sub":"ada","exp":\#(seconds + 9),"aud":"news"}"#,
        #"{"sub":"ada","exp":\#(seconds + 9),"aud":["x","news"]}"#,
        #"{"sub":"ada","exp":\#(seconds + 9),"nbf":\#(seconds + 60),"iat":\#(seconds),"iss":"backend"}"#,
    ])
    func aBackendsTokenNamesTheUser(_ claims: String) throws {
        #expect(try user(Self.signed(Self.header, claims)) == "ada")
        #expect(try user(Self.signed(#"{"typ":"JWT","alg":"HS256","kid":"1"}"#, claims)) == "ada")
    }

    @Test(arguments: [
        #"{"sub":"ada"}"#, #"{"sub":"ada","exp":"\#(seconds + 9)"}"#, #"{"sub":"ada","exp":\#(seconds + 9).5}"#,
        #"{"sub":"ada","exp":\#(seconds - 60)}"#, #"{"sub":"ada","exp":\#(seconds + 86_461)}"#,
        #"{"sub":"ada","exp":-1}"#, #"{"sub":"ada","exp":99999999999999}"#, #"{"sub":"ada","exp":null}"#,
        #"{"exp":\#(seconds + 9)}"#, #"{"sub":7,"exp":\#(seconds + 9)}"#, #"{"sub":"","exp":\#(seconds + 9)}"#,
        #"{"sub":"a\u0001","exp":\#(seconds + 9)}"#, #"{"sub":"ada","exp":\#(seconds + 9),"aud":"shop"}"#,
        #"{"sub":"ada","exp":\#(seconds + 9),"aud":[]}"#, #"{"sub":"ada","exp":\#(seconds + 9),"aud":7}"#,
        #"{"sub":"ada","exp":\#(seconds + 9),"nbf":\#(seconds + 61)}"#,
        #"{"sub":"ada","exp":\#(seconds + 9),"nbf":"now"}"#, #"{"sub":"eve","sub":"ada","exp":\#(seconds + 9)}"#,
        #"["ada"]"#, "ada", "",
    ])
    func otherClaimsAreRefused(_ claims: String) {
        #expect(throws: InvalidValueError.self) { _ = try user(Self.signed(Self.header, claims)) }
    }

    @Test(arguments: [
        #"{"alg":"none"}"#, #"{"alg":"HS512"}"#, #"{"alg":"RS256"}"#, #"{"alg":"hs256"}"#, #"{"typ":"JWT"}"#, "{}", "",
        #"{"alg":"HS256","crit":["exp"]}"#, #"{"alg":"none","alg":"HS256"}"#,
    ])
    func otherHeadersAreRefused(_ header: String) {
        #expect(throws: InvalidValueError.self) { _ = try user(Self.signed(header, Self.claims)) }
    }

    @Test func otherSignaturesAreRefused() {
        let good = Self.signed(Self.header, Self.claims)
        let parts = good.split(separator: ".").map(String.init)
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        let eve = Base64URL.encode(Array(Self.claims.replacing("ada", with: "eve").utf8))
        let forged = [
            "\(parts[0]).\(parts[1]).", "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])",
            "\(parts[0]).\(eve).\(parts[2])", "\(parts[0]).\(parts[1])", good + ".", good + "A", "\(good)=", "",
            String(good.dropLast()), Self.signed(Self.header, Self.claims, secret: Array(repeating: 7, count: 32)),
            Self.signed(Self.header, Self.claims, secret: []),
        ]
        for token in forged {
            #expect(throws: InvalidValueError.self, "\(token)") { _ = try user(token) }
        }
        #expect(throws: Never.self) { _ = try user(good) }
    }

    @Test func aTokenIsBounded() {
        let long = Self.claims(
            #""sub":"ada","exp":\#(Self.seconds + 9),"x":"\#(String(repeating: "x", count: 2_000))""#)
        #expect(throws: InvalidValueError("expected a JWT of at most 2048 bytes")) {
            _ = try user(Self.signed(Self.header, long))
        }
    }
}
