import JSONKit
import PushModel
import ServiceKit
import Signing

/// Checks by which key, and for whom, a push is signed (RFC 8292). A token is verified once and then cached by its
/// text.
struct VAPIDTokens: Sendable {
    /// The keys that browsers subscribed with.
    enum AcceptedKeys: Sendable, Equatable {
        case any
        case only([UInt8])

        /// `any`, or a key as browsers take it.
        init?(_ text: String) {
            if text == "any" {
                self = .any
                return
            }
            guard let point = Base64URL.decode(text), VerificationKey(p256Point: point) != nil else { return nil }
            self = .only(point)
        }
    }

    private struct Finding {
        let refusal: WebPushRefusal?
        let expirySeconds: Int64
        let subjectHost: Substring
    }

    private static let scheme = "vapid "
    private static let findingsMaximum = 1_000
    private static let lifeSecondsMaximum: Int64 = 86_400
    /// Apple refuses contacts that no mail or page can be at.
    private static let unreachableHosts = ["localhost", "invalid"]

    /// The service's own, which is the audience of its tokens.
    var origin = ""
    var acceptedKeys = AcceptedKeys.any
    private var findings: [String: Finding] = [:]

    /// Returns the sender's key.
    mutating func check(
        _ authorization: String?, asApple: Bool, now: Timestamp
    ) throws(WebPushRefusal) -> [UInt8] {
        guard let authorization else { throw .missingAuthorization }
        guard let (token, key) = VAPIDTokens.parts(of: authorization) else { throw .badAuthorization }
        let finding = finding(about: token, key: key)
        if let refusal = finding.refusal { throw refusal }
        let seconds = now.milliseconds / 1_000
        guard seconds..<seconds + VAPIDTokens.lifeSecondsMaximum + 1 ~= finding.expirySeconds else { throw .badExpiry }
        if asApple && VAPIDTokens.isUnreachable(finding.subjectHost) { throw .badSubject }
        if case .only(let accepted) = acceptedKeys, accepted != key { throw .foreignKey }
        return key
    }

    /// `vapid t=TOKEN, k=KEY`, with the parameters in any order.
    private static func parts(of authorization: String) -> (token: String, key: [UInt8])? {
        guard authorization.prefix(scheme.count).lowercased() == scheme else { return nil }
        var values: [Substring: Substring] = [:]
        for parameter in authorization.dropFirst(scheme.count).split(separator: ",") {
            let pair = parameter.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, values.updateValue(pair[1], forKey: pair[0]) == nil else { return nil }
        }
        guard values.count == 2, let token = values["t"],
            let key = values["k"].flatMap({ Base64URL.decode(String($0)) })
        else { return nil }
        return (String(token), key)
    }

    private mutating func finding(about token: String, key: [UInt8]) -> Finding {
        let name = token + Hexadecimal.encode(key)
        if let known = findings[name] { return known }
        let finding: Finding
        do throws(WebPushRefusal) {
            finding = try verify(token, key: key)
        } catch {
            finding = Finding(refusal: error, expirySeconds: 0, subjectHost: "")
        }
        if findings.count == VAPIDTokens.findingsMaximum { findings = [:] }
        findings[name] = finding
        return finding
    }

    private func verify(_ text: String, key: [UInt8]) throws(WebPushRefusal) -> Finding {
        guard let token = JSONWebToken(text), let header = try? JSON(token.header),
            let claims = try? JSON(token.claims), let verificationKey = VerificationKey(p256Point: key),
            header["alg"]?.text == SigningAlgorithm.es256.rawValue, header["typ"].map({ $0.text == "JWT" }) != false,
            token.isSigned(by: verificationKey)
        else { throw .badAuthorization }
        guard claims["aud"]?.text == origin else { throw .badAudience }
        guard case .integer(let expiry) = claims["exp"] else { throw .badExpiry }
        guard let host = VAPIDTokens.host(ofSubject: claims["sub"]?.text) else { throw .badSubject }
        return Finding(refusal: nil, expirySeconds: expiry, subjectHost: host)
    }

    /// Nil unless the contact is a mail address or a page.
    private static func host(ofSubject subject: String?) -> Substring? {
        guard let subject else { return nil }
        if subject.hasPrefix("mailto:") {
            let parts = subject.dropFirst(7).split(separator: "@", omittingEmptySubsequences: false)
            return parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty ? parts[1] : nil
        }
        guard WebAddress(subject)?.scheme == .https else { return nil }
        return subject.dropFirst(8).prefix { !"/:?#".contains($0) }
    }

    private static func isUnreachable(_ host: Substring) -> Bool {
        unreachableHosts.contains { host == $0 || host.hasSuffix("." + $0) }
    }
}
