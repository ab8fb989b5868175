import HTTP2
import JSONKit
import ProviderKit
import ServiceKit
import Signing
import TestSupport
import Testing
import Topics

@testable import AndroidSender

/// How the sender gets Google's access tokens, and how it handles failures.
@Suite struct FCMTokenTests {
    @Test func asksAsGoogleWants() async throws {
        try await withGoogle(GoogleFixture()) { fixture in
            #expect(await fixture.gateway().admit(1, lane: .fast) == .admitted(1))
            let form = try #require(fixture.google.seen.tokenRequests.first)
            let start = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
            #expect(form.hasPrefix(start))
            let token = try #require(JSONWebToken(String(form.dropFirst(start.count))))
            let header = try JSON(token.header)
            #expect(header["alg"] == .string("RS256"))
            #expect(header["kid"] == .string("key-7"))
            let claims = try JSON(token.claims)
            #expect(claims["iss"] == .string("ringer@bells.example"))
            #expect(claims["aud"] == .string("\(fixture.google.url)/token"))
            #expect(claims["scope"] == .string("https://www.googleapis.com/auth/firebase.messaging"))
            guard case .integer(let issued)? = claims["iat"], case .integer(let expires)? = claims["exp"] else {
                Issue.record("iat and exp must be numbers")
                return
            }
            #expect(expires - issued == 3_600)
            let key = try #require(try JSON(fixture.account)["private_key"]?.text)
            let signingKey = try SigningKey(pem: Secret(key), from: "test", for: .rs256)
            #expect(token.isSigned(by: signingKey.verificationKey))
        }
    }

    /// A token expires while two hundred pushes of ten batches are in flight: one renewal serves all, and each push is
    /// delivered once.
    @Test func anEndedTokenIsRenewedOnceForAll() async throws {
        let time = ManualTimeSource()
        let hasEnded = Monitor(false)
        let fixture = try await GoogleFixture(
            time: time,
            onPush: { request in
                let isRefused = hasEnded.withLock { $0 } && request.authorization == "Bearer token-1"
                return isRefused ? .json(401, body: #"{"error":{"status":"UNAUTHENTICATED"}}"#) : .json(200, body: "{}")
            })
        try await withGoogle(fixture) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(200, lane: .bulk) == .admitted(200))
            time.advance(by: .seconds(120))
            hasEnded.change { $0 = true }
            let outcomes = await withTaskGroup(of: [PushOutcome].self) { group in
                for batch in 0..<10 {
                    group.addTask { await gateway.send(pushes((0..<20).map { "device-\(batch)-\($0)" })) }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            #expect(outcomes == Array(repeating: .answered(.delivered), count: 200))
            #expect(fixture.google.seen.tokenRequests.count == 2)
            let delivered = fixture.google.seen.pushes.filter { $0.authorization == "Bearer token-2" }.map(\.text)
            #expect(delivered.count == 200 && Set(delivered).count == 200)
        }
    }

    /// A new token would be refused as well: the app halts instead of requesting tokens in a loop.
    @Test func aFreshTokenThatIsRefusedIsAMistakeOfTheApp() async throws {
        let fixture = try await GoogleFixture(onPush: { _ in
            .json(401, body: #"{"error":{"status":"UNAUTHENTICATED"}}"#)
        })
        try await withGoogle(fixture) { fixture in
            let gateway = fixture.gateway()
            #expect(await gateway.admit(5, lane: .bulk) == .admitted(5))
            let outcomes = await gateway.send(pushes((0..<5).map { "device-\($0)" }))
            #expect(outcomes.map(\.verdict) == Array(repeating: .refreshAuthorization, count: 5))
            #expect(fixture.google.seen.tokenRequests.count == 1)
            #expect(fixture.google.seen.pushes.count == 5)
        }
    }

    @Test(arguments: [400, 401, 403]) func aRefusedCredentialHalts(_ status: Int) async throws {
        let fixture = try await GoogleFixture(onToken: { _ in
            HTTP2Answer(status, body: Array(#"{"error":"invalid_grant","error_description":"clock"}"#.utf8))
        })
        try await withGoogle(fixture) { fixture in
            let admission = await fixture.gateway().admit(1, lane: .bulk)
            #expect(admission == .halted(reason: "no access token: status \(status), invalid_grant"))
        }
    }

    @Test(arguments: [
        (200, ""), (200, "{}"), (200, #"{"access_token":7,"expires_in":1}"#),
        (200, #"{"access_token":"a\nb","expires_in":3600}"#), (200, #"{"access_token":"a","expires_in":-1}"#),
        (500, ""), (503, "{}"), (429, "{}"),
    ])
    func anAnswerWithoutATokenPauses(_ status: Int, body: String) async throws {
        let fixture = try await GoogleFixture(onToken: { _ in HTTP2Answer(status, body: Array(body.utf8)) })
        try await withGoogle(fixture) { fixture in
            guard case .unavailable = await fixture.gateway().admit(1, lane: .bulk) else {
                Issue.record("no push can be sent without a token")
                return
            }
        }
    }

    @Test func anAuthorityThatIsNotTrustedHalts() async throws {
        let stranger = try await TestAuthority()
        try await withGoogle(GoogleFixture(adjust: { $0.authorityFile = stranger.authorityFile })) { fixture in
            guard case .halted = await fixture.gateway().admit(1, lane: .bulk) else {
                Issue.record("an untrusted authority must halt the app")
                return
            }
        }
    }

    @Test(arguments: ["", "{}", "[]", #"{"client_email":"a","private_key":"-----BEGIN"}"#])
    func aBrokenAccountFileHaltsAndIsNamed(_ text: String) async throws {
        try await withGoogle(GoogleFixture()) { fixture in
            guard case .halted(let reason) = await fixture.gateway(account: Array(text.utf8)).admit(1, lane: .bulk)
            else {
                Issue.record("an invalid service account file must halt the app")
                return
            }
            #expect(reason.contains("keys/fcm.json"))
            #expect(!reason.contains("BEGIN"))
        }
    }
}
