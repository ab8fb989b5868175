import Glibc
import HTTP2
import JSONKit
import ProviderKit
import PushModel
import ServiceKit
import Signing
import Store
import Synchronization
import TestSupport
import Testing

@testable import APNsSender

/// Provider tokens as received by Apple.
@Suite(.timeLimit(.minutes(5))) struct APNsTokenTests {
    /// Goal: an expired token is replaced once for all pushes, and no device is lost. Method: the server repeatedly
    /// rejects a token after some thousand requests; each costs no more refusals than pushes in flight with it.
    @Test func aRefreshUnderLoadIsNoStorm() async throws {
        let authority = try await TestAuthority()
        let uses = Mutex<[String: Int]>([:])
        let apple = try ScriptedApple(authority) { request, _ in
            let token = request.headers["authorization"] ?? ""
            let used = uses.withLock { uses in
                uses[token, default: 0] += 1
                return uses[token, default: 0]
            }
            return used > 4_000 ? .refused(403, reason: "ExpiredProviderToken") : .accepted
        }
        let fixture = try await SenderFixture(authority, apple: apple) {
            // So that a token signed in the same second is not refused as too young.
            $0.tokenWindow = TokenWindow(
                replaceableAge: .milliseconds(1), renewalAges: .seconds(600) ... .seconds(601),
                usableAge: .seconds(700))
        }
        let load = PushLoad(fixture.app, count: 15_000)
        try await fixture.deliver(load)
        #expect(fixture.counts(load)[.delivered] == load.count)
        #expect(apple.delivered.count == load.count && apple.repeats == 0)
        #expect(fixture.halts.detail == "")
        let refused = apple.requests - load.count
        let tokens = apple.authorizations.count
        #expect((4...6).contains(tokens), "\(tokens) tokens")
        #expect(refused <= (tokens - 1) * 2_000, "\(refused) refusals of \(tokens) tokens")
        await fixture.end()
        await apple.server.close()
    }

    @Test func aTokenSaysWhatAppleAsksFor() async throws {
        let authority = try await TestAuthority()
        let apple = try ScriptedApple(authority)
        let fixture = try await SenderFixture(authority, apple: apple)
        try await fixture.deliver(PushLoad(fixture.app, count: 300))
        let texts = apple.authorizations.keys
        #expect(texts.count == 1)
        let text = try #require(texts.first)
        let token = try #require(JSONWebToken(String(text.dropFirst("bearer ".count))))
        let key = try SigningKey(file: fixture.keyFile, for: .es256)
        #expect(token.isSigned(by: key.verificationKey))
        let header = try JSON(token.header)
        #expect(header["alg"] == .string("ES256"))
        #expect(header["kid"] == .string("ABCDE12345"))
        let claims = try JSON(token.claims)
        #expect(claims["iss"] == .string("TEAMNEWS00"))
        guard case .integer(let issued) = claims["iat"] else {
            Issue.record("the token has no time of issue")
            return
        }
        #expect(abs(issued - fixture.time.now.milliseconds / 1_000) < 60)
        await fixture.end()
        await apple.server.close()
    }

    /// A wrong key is refused even with a new token: the app halts, and its devices wait.
    @Test func aWrongKeyHaltsTheApp() async throws {
        let authority = try await TestAuthority()
        let apple = try ScriptedApple(authority) { _, _ in .refused(403, reason: "InvalidProviderToken") }
        let fixture = try await SenderFixture(authority, apple: apple)
        let load = PushLoad(fixture.app, count: 1_000)
        try await fixture.plan(load)
        try await fixture.run(load.chunks())
        #expect(fixture.counts(load)[.waiting] == load.count)
        #expect(fixture.halts.detail.contains("InvalidProviderToken"))
        #expect(apple.authorizations.count == 1)
        await fixture.end()
        await apple.server.close()
    }

    @Test func aMissingKeyHaltsTheApp() async throws {
        let authority = try await TestAuthority()
        let apple = try ScriptedApple(authority)
        let fixture = try await SenderFixture(authority, apple: apple)
        #expect(unlink(fixture.keyFile) == 0)
        let load = PushLoad(fixture.app, count: 100)
        try await fixture.plan(load)
        try await fixture.run(load.chunks())
        #expect(fixture.counts(load)[.waiting] == load.count)
        #expect(fixture.halts.detail.contains("key.p8"))
        #expect(apple.requests == 0)
        await fixture.end()
        await apple.server.close()
    }
}
