import Apps
import JSONKit
import PushModel
import ServiceKit
import Signing

/// A user's id, signed by the publisher's backend: a JWT (RFC 7519) of HS256 under the app's secret. With a public key
/// nothing else says who the user of a device is.
enum UserToken {
    static let bytesMaximum = 2_048
    /// A token that leaks is of use for at most this time.
    static let lifetimeMaximum = Duration.seconds(86_400)
    /// Difference between the clocks of the backend and of this machine.
    static let clockTolerance = Duration.seconds(60)

    private static let limits = JSONLimits(
        bytesMaximum: bytesMaximum, depthMaximum: 4, valuesMaximum: 64, namesMayRepeat: false)

    /// The signature is checked before anything that it covers.
    static func user(
        _ text: String, key: UserTokenKey, app: AppID, now: Timestamp
    ) throws(InvalidValueError) -> Alias {
        guard text.utf8.count <= bytesMaximum, let token = JSONWebToken(text) else {
            throw InvalidValueError("expected a JWT of at most \(bytesMaximum) bytes")
        }
        guard key.hasSigned(token) else {
            throw InvalidValueError("its signature is not HS256 under the secret of user_tokens.key_file")
        }
        try check(header: try object(token.header))
        let claims = try object(token.claims)
        try check(lifetimeIn: claims, at: now)
        guard isFor(app, audience: claims["aud"]) else {
            throw InvalidValueError("its aud is not the app; expected \(app), or no aud")
        }
        guard let user = claims["sub"]?.text else { throw InvalidValueError("it has no sub, the user's id") }
        return try Alias(.externalUser, value: user)
    }

    /// A header that names other rules (`crit`) must not be ignored.
    private static func check(header: JSON) throws(InvalidValueError) {
        guard header["alg"] == .string("HS256"), header["crit"] == nil else {
            throw InvalidValueError("expected a header with alg HS256 and without crit")
        }
    }

    private static func check(lifetimeIn claims: JSON, at now: Timestamp) throws(InvalidValueError) {
        guard let end = moment(claims["exp"]) else { throw InvalidValueError("it has no exp in seconds since 1970") }
        guard now < end + clockTolerance else { throw InvalidValueError("it is expired") }
        guard end <= now + lifetimeMaximum + clockTolerance else {
            throw InvalidValueError("its exp is too late; expected at most 24h from now")
        }
        guard claims["nbf"] != nil else { return }
        guard let start = moment(claims["nbf"]), start <= now + clockTolerance else {
            throw InvalidValueError("it is not valid yet, or its nbf is no time")
        }
    }

    private static func moment(_ value: JSON?) -> Timestamp? {
        guard case .integer(let seconds)? = value, 0...Int64(UInt32.max) ~= seconds else { return nil }
        return Timestamp(milliseconds: seconds * 1_000)
    }

    private static func isFor(_ app: AppID, audience: JSON?) -> Bool {
        guard let audience else { return true }
        let names = audience.elements ?? [audience]
        return names.contains { $0.text.map { $0.utf8.elementsEqual(app.text.utf8) } ?? false }
    }

    private static func object(_ bytes: [UInt8]) throws(InvalidValueError) -> JSON {
        guard let value = try? JSON(bytes, limits: limits), value.object != nil else {
            throw InvalidValueError("its header and claims must be JSON objects")
        }
        return value
    }
}
