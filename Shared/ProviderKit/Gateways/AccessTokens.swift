package import HTTPClient
import JSONKit
package import ServiceKit

/// Requests access tokens from an OAuth server.
package struct AccessTokens: Sendable {
    package let client: HTTPClient

    package init(client: HTTPClient) {
        self.client = client
    }

    /// The token of a client that proves itself with its secret.
    package func cache(
        of clientID: String, secret: Secret, scope: String? = nil, from url: String, limit: Duration,
        time: any TimeSource, random: any RandomSource
    ) -> TokenCache {
        var form = [
            (name: "grant_type", value: Secret("client_credentials")), (name: "client_id", value: Secret(clientID)),
            (name: "client_secret", value: secret),
        ]
        if let scope { form.append((name: "scope", value: Secret(scope))) }
        return TokenCache(refreshDeadline: limit, time: time, random: random) {
            [self, form] () async throws(TokenError) in
            try await issue(form, from: url)
        }
    }

    /// The form's values are secret: they never appear in an error.
    package func issue(
        _ form: [(name: String, value: Secret)], from url: String
    ) async throws(TokenError) -> IssuedToken {
        let body = form.map { "\($0.name)=\(AccessTokens.encoded($0.value.reveal()))" }.joined(separator: "&")
        let request = HTTPClientRequest(
            .post, url: url, to: .trusted, headers: [.init("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(body.utf8), responseBytesMaximum: 64 << 10, isRepeatable: true)
        switch await client.send(request) {
        case .answered(let response): return try AccessTokens.token(from: response)
        case .notSent(let failure), .unknown(let failure):
            throw TokenError(failure.isOurs ? .refused : .unavailable, message: "no access token: \(failure)")
        }
    }

    static func token(from response: HTTPClientResponse) throws(TokenError) -> IssuedToken {
        let answer = try? JSON(response.body, limits: JSONLimits(bytesMaximum: 64 << 10))
        guard response.status == 200 else {
            // Google names the error, Huawei numbers it.
            let reason = answer?["error"]?.text ?? answer?["sub_error"].flatMap(number) ?? "no reason"
            let isRefused = 400..<500 ~= response.status && response.status != 429 && response.status != 408
            throw TokenError(
                isRefused ? .refused : .unavailable,
                message: "no access token: status \(response.status), \(reason.prefix(100))"
            )
        }
        guard let value = answer?["access_token"]?.text, AccessTokens.isToken(value),
            case .integer(let seconds)? = answer?["expires_in"], 1...31_536_000 ~= seconds
        else { throw TokenError(.unavailable, message: "no access token: no valid token in the answer") }
        return IssuedToken(Secret(value), window: .oauth(lifetime: .seconds(seconds)))
    }

    private static func number(_ value: JSON) -> String? {
        guard case .integer(let number) = value else { return value.text }
        return String(number)
    }

    /// The token goes into a header unchanged.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && RequestText.isHeaderWord(text, bytesMaximum: 16_384)
    }

    private static func encoded(_ value: String) -> String {
        var text = ""
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return text
    }
}
