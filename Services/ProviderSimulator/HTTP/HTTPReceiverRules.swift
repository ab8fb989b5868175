import HTTP2
import ServiceKit

/// Takes pushes as a publisher's own server does, and checks their signatures.
struct HTTPReceiverRules: ProviderRules {
    static let devices = DeviceAddress("/devices/")
    /// Names that select an answer, as in `gone-1234`.
    static let errors: [String: (HTTPReceiverError, retryAfter: Int?)] = [
        "gone": (.gone, nil), "missing": (.unknownDevice, nil), "forbidden": (.forbidden, nil),
        "timeout": (.timeout, nil), "limited": (.limited, 1), "internal": (.internalError, nil),
        "unavailable": (.unavailable, 1),
    ]
    static let redirectWord = "redirect"

    private let signature: HTTPSignatureCheck
    private var requiresSignature = false

    init(_ account: HTTPReceiverAccount) {
        signature = HTTPSignatureCheck(key: account.key)
    }

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint { .send }

    mutating func changeCredentials(_ change: CredentialChange) {
        if let isRequired = change.requiresSignature { requiresSignature = isRequired }
    }

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        do throws(HTTPReceiverError) {
            guard let device = HTTPReceiverRules.devices.name(in: request.path) else { throw .unknownDevice }
            guard request.method == "POST" else { throw .methodNotAllowed }
            try checkSignature(request, now: now)
            let contentType = request.headers["content-type"]?.prefix { $0 != ";" }.lowercased()
            guard contentType == "application/json" else { throw .badContentType }
            guard let body = HTTPPushBody(request.body) else { throw .badPayload }
            return HTTPReceiverRules.verdict(on: body, device: device)
        } catch {
            return Verdict(refusedFor: error.rawValue, HTTPReceiverRules.answer(error.status, reason: error.rawValue))
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        HTTPReceiverRules.answer(error.status, reason: error.reason, retryAfter: error.retryAfter)
    }

    private func checkSignature(_ request: HTTP2ServerRequest, now: Timestamp) throws(HTTPReceiverError) {
        guard let value = request.headers[HTTPSignatureCheck.header] else {
            if requiresSignature { throw .missingSignature }
            return
        }
        try signature.check(value, body: request.body, now: now)
    }

    private static func verdict(on body: HTTPPushBody, device: String) -> Verdict {
        if let word = TokenPrefix.of(device).map(String.init) {
            if let fault = TokenPrefix.faults[word] { return Verdict(fault: fault) }
            if let (error, retryAfter) = errors[word] {
                return Verdict(
                    refusedFor: error.rawValue, answer(error.status, reason: error.rawValue, retryAfter: retryAfter))
            }
            if word == redirectWord {
                return Verdict(refusedFor: word, .withLength(302, headers: ["location": devices.start + "elsewhere"]))
            }
        }
        return Verdict(
            taken: [Delivery(device: device, mark: body.task, task: body.task)],
            .withLength(204, headers: HTTP2Headers()))
    }

    private static func answer(_ status: Int, reason: String?, retryAfter: Int? = nil) -> HTTP2Answer {
        let body = JSONText.object { json in if let reason { json.member("error", reason) } }
        var headers: HTTP2Headers = ["content-type": "application/json"]
        if let retryAfter { headers.append("retry-after", String(retryAfter)) }
        return .withLength(status, headers: headers, body: body)
    }
}
