import JSONKit
import PushModel
import ServiceKit
import Signing

/// Checks the provider tokens of a team. A token is verified once and then cached by its text.
struct AppleProviderTokens: Sendable {
    private enum Finding {
        case issued(seconds: Int64)
        case invalid
    }

    /// A token that a connection sent, as in the header field.
    private struct Use {
        let authorization: String
        let issued: Timestamp
        let since: Timestamp
    }

    /// Maximum age of a token; Apple's is an hour.
    var ageMaximum = Duration.seconds(3_600)
    private let keyID: String
    private let teamID: String
    private let key: VerificationKey
    private var findings: [String: Finding] = [:]
    private var uses: [Int: Use] = [:]

    private static let findingsMaximum = 1_000
    private static let usesMaximum = 1_000
    /// Allowed lead of the sender's clock.
    private static let leadMaximum = Duration.seconds(60)

    init(of account: AppleAccount) {
        keyID = account.keyID
        teamID = account.teamID
        key = account.verificationKey
    }

    /// On one connection the token may change once in a third of its lifetime, as with Apple's 20 minutes and hour.
    private var updateInterval: Duration { ageMaximum / 3 }

    mutating func check(_ authorization: String?, connection: Int, now: Timestamp) throws(AppleError) {
        guard let authorization else { throw .missingProviderToken }
        // Nearly always the token that this connection sent before.
        if let use = uses[connection], use.authorization == authorization {
            return try checkAge(since: use.issued, now)
        }
        guard authorization.prefix(7).lowercased() == "bearer " else { throw .invalidProviderToken }
        guard case .issued(let seconds) = finding(about: String(authorization.dropFirst(7))) else {
            throw .invalidProviderToken
        }
        let issued = Timestamp(milliseconds: seconds * 1_000)
        try checkAge(since: issued, now)
        try note(Use(authorization: authorization, issued: issued, since: now), on: connection)
    }

    private func checkAge(since issued: Timestamp, _ now: Timestamp) throws(AppleError) {
        let age = now - issued
        if age > ageMaximum { throw .expiredProviderToken }
        if age < .zero - AppleProviderTokens.leadMaximum { throw .invalidProviderToken }
    }

    private mutating func finding(about token: String) -> Finding {
        if let known = findings[token] { return known }
        let finding = verify(token)
        if findings.count == AppleProviderTokens.findingsMaximum { findings = [:] }
        findings[token] = finding
        return finding
    }

    private func verify(_ text: String) -> Finding {
        guard let token = JSONWebToken(text), let header = try? JSON(token.header),
            let claims = try? JSON(token.claims),
            header["alg"]?.text == SigningAlgorithm.es256.rawValue, header["kid"]?.text == keyID,
            claims["iss"]?.text == teamID, case .integer(let seconds) = claims["iat"], 0..<1 << 40 ~= seconds,
            token.isSigned(by: key)
        else { return .invalid }
        return .issued(seconds: seconds)
    }

    /// The spelling of `bearer` before a token does not make it another token.
    private mutating func note(_ use: Use, on connection: Int) throws(AppleError) {
        if let known = uses[connection] {
            guard known.authorization.dropFirst(7) != use.authorization.dropFirst(7) else { return }
            if use.since - known.since < updateInterval { throw .tooManyProviderTokenUpdates }
        } else if uses.count == AppleProviderTokens.usesMaximum, let oldest = uses.keys.min() {
            uses[oldest] = nil
        }
        uses[connection] = use
    }
}
