import JSONKit
import PushModel
import ServiceKit
import Signing

/// Checks the tokens by which a team proves who it is. A token is verified once and then known by its text.
struct AppleProviderTokens: Sendable {
    private enum Finding {
        case issued(seconds: Int64)
        case invalid
    }

    private struct Use {
        var token: String
        var since: Timestamp
    }

    /// How old a token may be; Apple takes an hour.
    var ageMaximum = Duration.seconds(3_600)
    private let keyID: String
    private let teamID: String
    private let key: VerificationKey
    private var findings: [String: Finding] = [:]
    private var uses: [Int: Use] = [:]

    private static let findingsMaximum = 1_000
    private static let usesMaximum = 1_000
    /// How far ahead the sender's clock may be.
    private static let leadMaximum = Duration.seconds(60)

    init(of account: AppleAccount) {
        keyID = account.keyID
        teamID = account.teamID
        key = account.verificationKey
    }

    /// On one connection tokens may change once in a third of their time, as Apple's 20 minutes are of its hour.
    private var updateInterval: Duration { ageMaximum / 3 }

    mutating func check(_ authorization: String?, connection: Int, now: Timestamp) throws(AppleRefusal) {
        guard let authorization else { throw .missingProviderToken }
        guard authorization.prefix(7).lowercased() == "bearer " else { throw .invalidProviderToken }
        let token = String(authorization.dropFirst(7))
        guard case .issued(let seconds) = finding(about: token) else { throw .invalidProviderToken }
        let age = now - Timestamp(milliseconds: seconds * 1_000)
        if age > ageMaximum { throw .expiredProviderToken }
        if age < .zero - AppleProviderTokens.leadMaximum { throw .invalidProviderToken }
        try noteUse(of: token, on: connection, now: now)
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
            claims["iss"]?.text == teamID, case .integer(let seconds) = claims["iat"], abs(seconds) < 1 << 40,
            token.isSigned(by: key)
        else { return .invalid }
        return .issued(seconds: seconds)
    }

    private mutating func noteUse(of token: String, on connection: Int, now: Timestamp) throws(AppleRefusal) {
        guard let use = uses[connection] else {
            if uses.count == AppleProviderTokens.usesMaximum, let oldest = uses.keys.min() { uses[oldest] = nil }
            uses[connection] = Use(token: token, since: now)
            return
        }
        guard use.token != token else { return }
        if now - use.since < updateInterval { throw .tooManyProviderTokenUpdates }
        uses[connection] = Use(token: token, since: now)
    }
}
