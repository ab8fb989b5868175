import HTTP2
import JSONKit
import ServiceKit
import Signing

/// Checks the assertion of a service account for an access token (RFC 7523).
struct GoogleGrant: Sendable {
    struct GrantError: Error, Equatable {
        let error: String
        let description: String
    }

    static let type = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let scopes: Set<Substring> = [
        "https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// Maximum time between `iat` and `exp`, and the clock skew allowed for either.
    private static let secondsMaximum: Int64 = 3_600
    private static let leewaySeconds: Int64 = 60

    let email: String
    let key: VerificationKey

    func check(_ form: FormFields, tokenURL: String?, now: Timestamp) throws(GrantError) {
        guard form["grant_type"] == GoogleGrant.type else {
            throw GrantError(error: "unsupported_grant_type", description: "Invalid grant_type")
        }
        guard let token = form["assertion"].flatMap({ JSONWebToken($0) }), let header = try? JSON(token.header),
            let claims = try? JSON(token.claims), header["alg"]?.text == SigningAlgorithm.rs256.rawValue
        else { throw GoogleGrant.invalid("Bad Request") }
        guard claims["iss"]?.text == email else { throw GoogleGrant.invalid("Invalid grant: account not found") }
        guard token.isSigned(by: key) else { throw GoogleGrant.invalid("Invalid JWT Signature.") }
        guard claims["aud"]?.text == tokenURL else { throw GoogleGrant.invalid("Invalid JWT: Failed audience check.") }
        try GoogleGrant.checkTimes(claims, now: now)
        let scopes = (claims["scope"]?.text ?? "").split(separator: " ")
        guard scopes.contains(where: GoogleGrant.scopes.contains) else {
            throw GrantError(error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
        }
    }

    private static func checkTimes(_ claims: JSON, now: Timestamp) throws(GrantError) {
        let seconds = now.milliseconds / 1_000
        // The end is checked first: after that nothing can overflow.
        guard case .integer(let issued) = claims["iat"], case .integer(let end) = claims["exp"],
            seconds - leewaySeconds...seconds + secondsMaximum + leewaySeconds ~= end,
            end - secondsMaximum..<end ~= issued, issued <= seconds + leewaySeconds
        else {
            throw invalid(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
                    + "Check your iat and exp values in the JWT claim.")
        }
    }

    private static func invalid(_ description: String) -> GrantError {
        GrantError(error: "invalid_grant", description: description)
    }
}
