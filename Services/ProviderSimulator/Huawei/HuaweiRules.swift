import HTTP2
import ServiceKit
import Signing

/// Issues access tokens and accepts pushes as Huawei does.
struct HuaweiRules: ProviderRules {
    static let tokenPath = "/oauth2/v3/token"
    static let illegalPrefix = "illegal"
    /// Token prefixes that make the whole request fail.
    static let errorPrefixes: [String: AskedError] = [
        "forbidden": AskedError(status: 400, reason: HuaweiError.noPermission.rawValue),
        "internal": AskedError(status: 500, reason: HuaweiError.internalError.rawValue),
        "unavailable": AskedError(status: 503, retryAfter: 1),
    ]

    private let account: HuaweiAccount
    private let sendPaths: Set<String>
    private var tokens = IssuedTokens(prefix: "")

    init(_ account: HuaweiAccount) {
        self.account = account
        sendPaths = ["/v1/\(account.clientID)/messages:send", "/v2/\(account.projectID)/messages:send"]
    }

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint {
        request.path == HuaweiRules.tokenPath ? .token : .send
    }

    mutating func changeCredentials(_ change: CredentialChange) {
        if let age = change.age { tokens.lifetime = age }
        if change.expiresTokens { tokens.expireAll() }
    }

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        if request.path == HuaweiRules.tokenPath { return handOutToken(request, now: now) }
        guard request.method == "POST", sendPaths.contains(request.path) else {
            return Verdict(refusedFor: "404", HTTP2Answer(404))
        }
        do throws(HuaweiError) {
            switch tokens.standing(of: request.headers["authorization"], now: now) {
            case .good: break
            case .expired: throw .expiredToken
            case .unknown: throw .unauthorized
            }
            return verdict(on: try ReceivedHuaweiMessage(request.body))
        } catch {
            return Verdict(refusedFor: error.rawValue, HuaweiRules.answer(error))
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        guard request.path == HuaweiRules.tokenPath else { return HuaweiRules.answer(error) }
        return TokenAnswer.refusal(
            error.status, error: error.reason ?? "1203", description: "asked for", retryAfter: error.retryAfter)
    }

    private mutating func handOutToken(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        let form = FormFields(request.body)
        guard form["grant_type"] == "client_credentials" else {
            return Verdict(
                refusedFor: "1102", TokenAnswer.refusal(400, error: "1102", description: "invalid grant_type"))
        }
        let secret = Array((form["client_secret"] ?? "").utf8)
        guard form["client_id"] == account.clientID,
            ConstantTime.areEqual(secret, Array(account.clientSecret.reveal().utf8))
        else {
            return Verdict(
                refusedFor: "1101", TokenAnswer.refusal(400, error: "1101", description: "invalid client"))
        }
        let token = tokens.issue(now: now)
        return Verdict(taken: [], TokenAnswer.token(token, lifetime: tokens.lifetime))
    }

    private func verdict(on message: ReceivedHuaweiMessage) -> Verdict {
        let prefixes = message.tokens.map { TokenPrefix.of($0).map(String.init) }
        for case let prefix? in prefixes {
            if let fault = TokenPrefix.faults[prefix] { return Verdict(fault: fault) }
            if let error = HuaweiRules.errorPrefixes[prefix] {
                return Verdict(refusedFor: error.reason ?? String(error.status), HuaweiRules.answer(error))
            }
        }
        if message.isOnlyValidated { return Verdict(taken: [], HuaweiRules.answer(.success)) }
        if let group = message.group {
            return Verdict(taken: [delivery(to: group, message)], HuaweiRules.answer(.success))
        }
        let illegal = zip(message.tokens, prefixes).filter { $0.1 == HuaweiRules.illegalPrefix }.map(\.0)
        let taken = zip(message.tokens, prefixes).filter { $0.1 != HuaweiRules.illegalPrefix }.map(\.0)
        if illegal.isEmpty {
            return Verdict(taken: taken.map { delivery(to: $0, message) }, HuaweiRules.answer(.success))
        }
        let code = taken.isEmpty ? HuaweiError.allTokensInvalid : .partialSuccess
        return Verdict(
            taken: taken.map { delivery(to: $0, message) },
            HuaweiRules.answer(code, message: HuaweiRules.report(taken: taken.count, illegal: illegal)),
            refusal: (HuaweiRules.illegalPrefix, illegal.count))
    }

    private func delivery(to device: String, _ message: ReceivedHuaweiMessage) -> Delivery {
        Delivery(device: device, mark: message.task, task: message.task)
    }

    /// JSON in a string, as Huawei sends it.
    private static func report(taken: Int, illegal: [String]) -> String {
        JSONText.object { json in
            json.member("success", taken)
            json.member("failure", illegal.count)
            json.member("illegal_tokens", json: JSONText.array(illegal))
        }
    }

    private static func answer(_ code: HuaweiError, message: String? = nil) -> HTTP2Answer {
        answer(code.status, code: code.rawValue, message: message ?? code.message)
    }

    private static func answer(_ error: AskedError) -> HTTP2Answer {
        let known = error.reason.flatMap(HuaweiError.init)
        var answer = answer(error.status, code: error.reason, message: known?.message ?? "asked for")
        if let seconds = error.retryAfter { answer.headers.append("retry-after", String(seconds)) }
        return answer
    }

    private static func answer(_ status: Int, code: String?, message: String) -> HTTP2Answer {
        let body = JSONText.object { json in
            if let code { json.member("code", code) }
            json.member("msg", message)
            json.member("requestId", String(UInt64.random(in: .min ... .max)))
        }
        return .withLength(status, headers: ["content-type": "application/json;charset=UTF-8"], body: body)
    }
}
