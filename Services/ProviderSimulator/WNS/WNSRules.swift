import HTTP2
import ServiceKit
import Signing

/// Issues access tokens and accepts pushes as WNS does.
struct WNSRules: ProviderRules {
    static let channels = DeviceAddress("/?token=")
    static let tokenPath = "/accesstoken.srf"
    private static let tokenLifetime = Duration.seconds(86_400)

    private let account: WNSAccount
    /// The scope for each token endpoint.
    private let scopes: [String: String]
    private var tokens = IssuedTokens(prefix: "Eg", lifetime: WNSRules.tokenLifetime)

    init(_ account: WNSAccount) {
        self.account = account
        scopes = [
            WNSRules.tokenPath: "notify.windows.com",
            "/\(account.tenant)/oauth2/v2.0/token": "https://wns.windows.com/.default",
        ]
    }

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint {
        scopes[request.path] == nil ? .send : .token
    }

    mutating func changeCredentials(_ change: CredentialChange) {
        if let age = change.age { tokens.lifetime = age }
        if change.expiresTokens { tokens.expireAll() }
    }

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        if let scope = scopes[request.path] { return handOutToken(request, scope: scope, now: now) }
        do throws(WNSError) {
            guard let channel = WNSRules.channels.name(in: request.path) else { throw .unknownChannel }
            guard request.method == "POST" else { throw .methodNotAllowed }
            guard tokens.standing(of: request.headers["authorization"], now: now) == .good else { throw .unauthorized }
            return WNSRules.verdict(on: try WNSMessage(request.headers, body: request.body), channel: channel)
        } catch {
            return Verdict(refusedFor: error.rawValue, WNSRules.answer(error.status, reason: error.rawValue))
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        guard scopes[request.path] == nil else {
            return TokenAnswer.refusal(
                error.status, error: error.reason ?? "server_error", description: "asked for",
                retryAfter: error.retryAfter)
        }
        return WNSRules.answer(error.status, reason: error.reason, retryAfter: error.retryAfter)
    }

    private mutating func handOutToken(_ request: HTTP2ServerRequest, scope: String, now: Timestamp) -> Verdict {
        let form = FormFields(request.body)
        let secret = Array((form["client_secret"] ?? "").utf8)
        let error: String? =
            if form["grant_type"] != "client_credentials" {
                "unsupported_grant_type"
            } else if form["client_id"] != account.clientID
                || !ConstantTime.areEqual(secret, Array(account.clientSecret.reveal().utf8))
            {
                "invalid_client"
            } else if form["scope"] != scope {
                "invalid_scope"
            } else {
                nil
            }
        if let error {
            return Verdict(refusedFor: error, TokenAnswer.refusal(400, error: error, description: "refused"))
        }
        return Verdict(taken: [], TokenAnswer.token(tokens.issue(now: now), lifetime: tokens.lifetime))
    }

    private static func verdict(on message: WNSMessage, channel: String) -> Verdict {
        let word = TokenPrefix.of(channel).map(String.init)
        if let fault = word.flatMap({ TokenPrefix.faults[$0] }) { return Verdict(fault: fault) }
        switch word.flatMap({ WNSName.effects[$0] }) {
        case .refusal(let error, let retryAfter):
            return Verdict(
                refusedFor: error.rawValue, answer(error.status, reason: error.rawValue, retryAfter: retryAfter))
        case .status(let status): return Verdict(refusedFor: status, accepted(status))
        case nil:
            return Verdict(
                taken: [Delivery(device: channel, mark: message.task, task: message.task)], accepted("received"))
        }
    }

    /// 200, which says only in its headers whether the push is delivered.
    private static func accepted(_ status: String) -> HTTP2Answer {
        var headers: HTTP2Headers = ["x-wns-status": status, "x-wns-deviceconnectionstatus": "connected"]
        headers.append("x-wns-msg-id", messageID, indexing: .nameOnly)
        if status == "channelthrottled" { headers.append("x-wns-continue-after", "1") }
        return .withLength(headers: headers)
    }

    private static func answer(_ status: Int, reason: String?, retryAfter: Int? = nil) -> HTTP2Answer {
        var headers = HTTP2Headers()
        headers.append("x-wns-msg-id", messageID, indexing: .nameOnly)
        if let reason { headers.append("x-wns-error-description", reason) }
        if let retryAfter { headers.append("retry-after", String(retryAfter)) }
        return .withLength(status, headers: headers)
    }

    private static var messageID: String { String(UInt64.random(in: .min ... .max), radix: 16) }
}
