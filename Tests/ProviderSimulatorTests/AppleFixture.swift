import HTTP2
import JSONKit
import ServiceKit
import Signing
import TestSupport

@testable import ProviderSimulator

/// Apple's rules with a separate team, and pushes that they accept unless a test changes them.
struct AppleFixture {
    static let topic = "com.example.news"
    static let device = String(repeating: "ab", count: 32)

    var rules: AppleRules
    let phones = ApplePhones(seed: 1, log: quietLog)
    let channels = AppleChannels(seed: 2, countMaximum: 3)
    let account: AppleAccount
    let key: SigningKey
    var now = Timestamp(milliseconds: 1_700_000_000_000)
    private let folder = TemporaryDirectory("simulator")

    init() throws {
        account = try AppleAccount(in: SimulatorFolder(folder.path))
        key = try SigningKey(file: account.keyFile, for: .es256)
        rules = AppleRules(
            bundle: AppleFixture.topic, AppleProviderTokens(of: account), phones: phones, channels: channels)
    }

    /// `issued` is in seconds after `now`.
    func providerToken(
        issued seconds: Int64 = 0, keyID: String? = nil, teamID: String? = nil, signedBy other: SigningKey? = nil
    ) throws -> String {
        let issued = now.milliseconds / 1_000 + seconds
        let token = try JWTSigner(key: other ?? key, keyID: keyID ?? account.keyID).sign { claims in
            claims.member("iss", teamID ?? account.teamID)
            claims.member("iat", Int(issued))
        }
        return "bearer " + token.reveal()
    }

    struct Push {
        var method = "POST"
        var path = "/3/device/" + AppleFixture.device
        var headers = [
            "apns-topic": AppleFixture.topic, "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": "0",
            "apns-collapse-id": "task", "apns-id": "123e4567-e89b-42d3-a456-426614174000",
        ]
        var body = "{\"aps\":{\"alert\":\"It rings.\"}}"
        var connection = 1
        var clientName: String?
    }

    /// Signs the push unless it has its own `authorization`; an empty one is omitted.
    mutating func judge(_ push: Push) throws -> Verdict {
        var headers = HTTP2Headers()
        for (name, value) in push.headers where !value.isEmpty { headers.append(name, value) }
        if push.headers["authorization"] == nil { headers.append("authorization", try defaultToken()) }
        let request = HTTP2ServerRequest(
            method: push.method, path: push.path, headers: headers, body: Array(push.body.utf8),
            connection: push.connection, clientName: push.clientName)
        return rules.judge(request, now: now)
    }

    private var known: String?

    /// One token for all pushes, since a connection may not change its token often.
    private mutating func defaultToken() throws -> String {
        if let known { return known }
        let token = try providerToken()
        known = token
        return token
    }
}

extension Verdict {
    var answer: HTTP2Answer? {
        guard case .answer(let answer) = reaction else { return nil }
        return answer
    }

    var json: JSON? { answer.flatMap { try? JSON($0.body) } }

    /// A text such as `400 BadTopic`; `200` alone for an accepted push.
    var summary: String {
        guard let answer else { return "fault" }
        return ([String(answer.status)] + [json?["reason"]?.text].compactMap { $0 }).joined(separator: " ")
    }
}
