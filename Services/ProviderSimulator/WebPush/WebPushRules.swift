import HTTP2
import ServiceKit

/// Accepts pushes as a Web Push service does, and reads them as the browsers of its subscriptions do.
struct WebPushRules: ProviderRules {
    private let subscriptions: WebPushSubscriptions
    private var tokens = VAPIDTokens()

    init(_ subscriptions: WebPushSubscriptions) {
        self.subscriptions = subscriptions
    }

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint { .send }

    mutating func changeCredentials(_ change: CredentialChange) {
        if let origin = change.origin { tokens.origin = origin }
        if let keys = change.applicationKeys { tokens.acceptedKeys = keys }
    }

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        let vendor = WebPushRules.vendor(of: request)
        do throws(WebPushRefusal) {
            return try verdict(on: request, at: vendor, now: now)
        } catch {
            return Verdict(refusedFor: error.rawValue, WebPushRules.answer(error, as: vendor))
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        WebPushRules.answer(
            error.status, reason: error.reason, as: WebPushRules.vendor(of: request), retryAfter: error.retryAfter)
    }

    private mutating func verdict(
        on request: HTTP2ServerRequest, at vendor: WebPushSubscriptions.Vendor, now: Timestamp
    ) throws(WebPushRefusal) -> Verdict {
        guard let name = vendor.addresses.name(in: request.path) else { throw .unknownSubscription }
        guard request.method == "POST" else { throw .methodNotAllowed }
        let senderKey = try tokens.check(request.headers["authorization"], asApple: vendor == .apple, now: now)
        let ttl = try WebPushHeaders.check(request.headers, bodyBytes: request.body.count)
        let content = try WebPushContent(
            request.body, for: subscriptions.browser(of: name), senderKey: senderKey)
        if let word = TokenPrefix.of(name).map(String.init) {
            if let fault = TokenPrefix.faults[word] { return Verdict(fault: fault) }
            if let (refusal, retryAfter) = WebPushName.refusals[word] {
                return Verdict(
                    refusedFor: refusal.rawValue, WebPushRules.answer(refusal, as: vendor, retryAfter: retryAfter))
            }
        }
        return Verdict(
            taken: [Delivery(device: name, mark: content.task, task: content.task)], accepted(ttl: ttl),
            shown: content.plaintext)
    }

    private func accepted(ttl: Int64) -> HTTP2Answer {
        var headers: HTTP2Headers = ["ttl": String(ttl)]
        let message = String(UInt64.random(in: .min ... .max), radix: 16)
        headers.append("location", "\(tokens.origin)/messages/\(message)", indexing: .nameOnly)
        return .withLength(201, headers: headers)
    }

    private static func vendor(of request: HTTP2ServerRequest) -> WebPushSubscriptions.Vendor {
        request.path.hasPrefix(WebPushSubscriptions.Vendor.apple.addresses.start) ? .apple : .any
    }

    private static func answer(
        _ refusal: WebPushRefusal, as vendor: WebPushSubscriptions.Vendor, retryAfter: Int? = nil
    ) -> HTTP2Answer {
        let (status, reason) = vendor == .apple ? refusal.asApple : (refusal.status, refusal.rawValue)
        return answer(status, reason: reason, as: vendor, retryAfter: retryAfter)
    }

    private static func answer(
        _ status: Int, reason: String?, as vendor: WebPushSubscriptions.Vendor, retryAfter: Int?
    ) -> HTTP2Answer {
        let body = JSONText.object { json in
            if vendor == .any { json.member("code", status) }
            if let reason { json.member(vendor == .apple ? "reason" : "error", reason) }
            if vendor == .any, let message = reason.flatMap(WebPushRefusal.init)?.message {
                json.member("message", message)
            }
        }
        var headers: HTTP2Headers = ["content-type": "application/json"]
        if let retryAfter { headers.append("retry-after", String(retryAfter)) }
        return .withLength(status, headers: headers, body: body)
    }
}
