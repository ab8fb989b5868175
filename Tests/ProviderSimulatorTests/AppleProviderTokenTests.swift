import ServiceKit
import Signing
import TestSupport
import Testing

@testable import ProviderSimulator

@Suite struct AppleProviderTokenTests {
    @Test(arguments: [
        (0, "200"), (-3_600, "200"), (-3_601, "403 ExpiredProviderToken"), (60, "200"),
        (61, "403 InvalidProviderToken"),
    ])
    func boundsTheAge(seconds: Int64, summary: String) throws {
        var fixture = try AppleFixture()
        #expect(try fixture.summary(try fixture.providerToken(issued: seconds)) == summary)
    }

    /// The least integer, which cannot be negated, in a token from an untrusted client.
    @Test func survivesTheLeastNumberThereIs() throws {
        var fixture = try AppleFixture()
        fixture.now = Timestamp(milliseconds: 0)
        #expect(try fixture.summary(try fixture.providerToken(issued: .min)) == "403 InvalidProviderToken")
    }

    @Test func rejectsOtherSigners() throws {
        var fixture = try AppleFixture()
        let stranger = try SigningKey.generated(for: .es256)
        let refusal = "403 InvalidProviderToken"
        #expect(try fixture.summary(try fixture.providerToken(signedBy: stranger)) == refusal)
        #expect(try fixture.summary(try fixture.providerToken(keyID: "OTHERKEY00")) == refusal)
        #expect(try fixture.summary(try fixture.providerToken(teamID: "OTHERTEAM0")) == refusal)
        #expect(try fixture.summary("bearer a.b") == refusal)
        #expect(try fixture.summary("basic abc") == refusal)
        #expect(try fixture.summary("") == "403 MissingProviderToken")
    }

    /// A token is verified only once, but must still expire.
    @Test func aKnownTokenExpires() throws {
        var fixture = try AppleFixture()
        let token = try fixture.providerToken()
        #expect(try fixture.summary(token) == "200")
        fixture.now = fixture.now + .seconds(3_601)
        #expect(try fixture.summary(token) == "403 ExpiredProviderToken")
    }

    @Test func theAgeCanBeShortened() throws {
        var fixture = try AppleFixture()
        fixture.rules.changeCredentials(CredentialChange(age: .seconds(5)))
        #expect(try fixture.summary(try fixture.providerToken(issued: -6)) == "403 ExpiredProviderToken")
        #expect(try fixture.summary(try fixture.providerToken(issued: -4)) == "200")
    }

    @Test func aConnectionMayNotChangeItsTokenOften() throws {
        var fixture = try AppleFixture()
        #expect(try fixture.summary(try fixture.providerToken()) == "200")
        let other = try fixture.providerToken(issued: -1)
        #expect(try fixture.summary(other) == "429 TooManyProviderTokenUpdates")
        #expect(try fixture.summary(other, connection: 2) == "200")
        fixture.now = fixture.now + .seconds(1_200)
        #expect(try fixture.summary(other) == "200")
    }

    @Test func aCertificateTakesItsPlace() throws {
        var fixture = try AppleFixture()
        var push = AppleFixture.Push(clientName: "Apple Push Services: com.example.certified")
        push.headers["authorization"] = ""
        push.headers["apns-topic"] = nil
        #expect(try fixture.judge(push).summary == "200")
        push.headers["apns-topic"] = AppleFixture.topic
        #expect(try fixture.judge(push).summary == "400 TopicDisallowed")
        push.clientName = "somebody"
        #expect(try fixture.judge(push).summary == "403 MissingProviderToken")
    }
}

extension AppleFixture {
    fileprivate mutating func summary(_ authorization: String, connection: Int = 1) throws -> String {
        var push = Push(connection: connection)
        push.headers["authorization"] = authorization
        return try judge(push).summary
    }
}
