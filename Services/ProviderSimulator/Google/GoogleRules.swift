import HTTP2
import PushModel
import ServiceKit

/// Issues access tokens and accepts pushes as Google does.
struct GoogleRules: ProviderRules {
    static let tokenPath = "/token"

    private let account: GoogleAccount
    private let sendPath: String
    private let grant: GoogleGrant
    private var tokens = IssuedTokens(prefix: "ya29.")
    private var tokenURL: String?

    init(_ account: GoogleAccount) {
        self.account = account
        grant = GoogleGrant(email: account.email, key: account.verificationKey)
        sendPath = "/v1/projects/\(account.project)/messages:send"
    }

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint {
        request.path == GoogleRules.tokenPath ? .token : .send
    }

    mutating func changeCredentials(_ change: CredentialChange) {
        if let age = change.age { tokens.lifetime = age }
        if change.expiresTokens { tokens.expireAll() }
        if let origin = change.origin { tokenURL = origin + GoogleRules.tokenPath }
    }

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        if request.path == GoogleRules.tokenPath { return handOutToken(request, now: now) }
        do throws(GoogleError) {
            return try send(request, now: now)
        } catch {
            return Verdict(refusedFor: error.reason, error.answer())
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        let code = error.reason
        guard request.path == GoogleRules.tokenPath else {
            let detail = code.map { GoogleError.Detail.messaging(code: $0) } ?? .none
            return GoogleError(status: error.status, message: "asked for", detail: detail)
                .answer(retryAfter: error.retryAfter)
        }
        return TokenAnswer.refusal(
            error.status, error: code ?? "internal_failure", description: "asked for", retryAfter: error.retryAfter)
    }

    private mutating func handOutToken(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        guard request.method == "POST" else {
            return Verdict(
                refusedFor: "METHOD", TokenAnswer.refusal(405, error: "invalid_request", description: "POST"))
        }
        do throws(GoogleGrant.GrantError) {
            try grant.check(FormFields(request.body), tokenURL: tokenURL, now: now)
            let token = tokens.issue(now: now)
            return Verdict(taken: [], TokenAnswer.token(token, lifetime: tokens.lifetime))
        } catch {
            return Verdict(
                refusedFor: error.error, TokenAnswer.refusal(400, error: error.error, description: error.description))
        }
    }

    private func send(_ request: HTTP2ServerRequest, now: Timestamp) throws(GoogleError) -> Verdict {
        guard request.method == "POST", request.path.hasPrefix("/v1/projects/"),
            request.path.hasSuffix("/messages:send")
        else { throw GoogleError(status: 404, message: "Not found.") }
        guard tokens.standing(of: request.headers["authorization"], now: now) == .good else {
            throw GoogleError(
                status: 401, message: "Request had invalid authentication credentials. Expected OAuth 2 access token.")
        }
        guard request.path == sendPath else {
            throw GoogleError(status: 403, message: "Permission 'cloudmessaging.messages.create' denied on resource.")
        }
        return verdict(on: try GoogleMessage(request.body))
    }

    private func verdict(on message: GoogleMessage) -> Verdict {
        let accepted = accepted
        switch message.target {
        case .group(let name):
            return Verdict(taken: [Delivery(device: name, mark: message.task, task: message.task)], accepted)
        case .token(let token):
            if let prefix = TokenPrefix.of(token).map(String.init) {
                if let fault = TokenPrefix.faults[prefix] { return Verdict(fault: fault) }
                if let (error, retryAfter) = GoogleTokenPrefix.errors[prefix] {
                    return Verdict(refusedFor: error.reason, error.answer(retryAfter: retryAfter))
                }
            }
            if message.isOnlyValidated { return Verdict(taken: [], accepted) }
            return Verdict(taken: [Delivery(device: token, mark: message.task, task: message.task)], accepted)
        }
    }

    private var accepted: HTTP2Answer {
        let id = String(UInt64.random(in: .min ... .max), radix: 16)
        let body = "{\"name\":\"projects/\(account.project)/messages/0:\(id)\"}"
        return HTTP2Answer(headers: ["content-type": "application/json; charset=UTF-8"], body: Array(body.utf8))
    }
}
