import JSONKit
import ServiceKit
import Signing
import TestSupport
import Testing

@testable import WebSender

@Suite struct VAPIDTokensTests {
    private let time = ManualTimeSource()
    private let key: VAPIDKey
    private let tokens: VAPIDTokens
    private let origin: PushOrigin

    init() throws {
        key = try VAPIDKey.generated()
        tokens = VAPIDTokens(key, contact: "mailto:push@example.com", time: time)
        origin = try #require(PushOrigin(address: "https://push.example.net/x"))
    }

    @Test func aTokenIsForOneServiceAndTwelveHours() throws {
        let header = try #require(VAPIDHeader(try tokens.token(for: origin).authorization.reveal()))
        #expect(header.key == key.publicText)
        #expect(header.claims["aud"] == .string("https://push.example.net"))
        #expect(header.claims["sub"] == .string("mailto:push@example.com"))
        #expect(header.claims["exp"] == .integer(time.now.milliseconds / 1_000 + 12 * 3_600))
        let other = try #require(PushOrigin(address: "https://push.example.net:8443/x"))
        let second = try #require(VAPIDHeader(try tokens.token(for: other).authorization.reveal()))
        #expect(second.claims["aud"] == .string("https://push.example.net:8443"))
    }

    @Test func itIsUsedUntilHalfOfItsLife() throws {
        let first = try tokens.token(for: origin).authorization
        time.advance(by: .seconds(6 * 3_600 - 1))
        #expect(try tokens.token(for: origin).authorization == first)
        time.advance(by: .seconds(1))
        let second = try tokens.token(for: origin).authorization
        #expect(second != first)
        #expect(try tokens.token(for: origin).authorization == second)
    }

    @Test func aRefusedTokenIsReplacedOnceInAnHour() throws {
        let first = try tokens.token(for: origin)
        let second = try #require(try tokens.replacement(of: first, for: origin))
        #expect(second.authorization != first.authorization)
        // The others that were refused with the first share the second.
        #expect(try tokens.replacement(of: first, for: origin)?.authorization == second.authorization)
        #expect(try tokens.replacement(of: second, for: origin) == nil)
        #expect(try tokens.token(for: origin).authorization == second.authorization)
        time.advance(by: .seconds(3_600))
        #expect(try tokens.replacement(of: second, for: origin) != nil)
    }

    @Test func acceptanceIsThatOfOneTokenAtOneService() throws {
        let first = try tokens.token(for: origin)
        #expect(!tokens.isAccepted(first, by: origin))
        tokens.noteAccepted(first, by: origin)
        tokens.noteAccepted(first, by: origin)
        #expect(tokens.isAccepted(first, by: origin))
        let other = try #require(PushOrigin(address: "https://other.example/"))
        #expect(!tokens.isAccepted(try tokens.token(for: other), by: other))
        let second = try #require(try tokens.replacement(of: first, for: origin))
        #expect(!tokens.isAccepted(second, by: origin) && !tokens.isAccepted(first, by: origin))
        tokens.noteAccepted(first, by: origin)
        #expect(!tokens.isAccepted(second, by: origin))
    }

    @Test func servicesBeyondTheMaximumAreForgotten() throws {
        let first = try tokens.token(for: origin).authorization
        for number in 0..<VAPIDTokens.originsMaximum {
            _ = try tokens.token(for: PushOrigin(scheme: .https, host: "host\(number).example", port: 443))
        }
        #expect(tokens.count == VAPIDTokens.originsMaximum)
        #expect(try tokens.token(for: origin).authorization != first)
        #expect(tokens.count == VAPIDTokens.originsMaximum)
    }
}
