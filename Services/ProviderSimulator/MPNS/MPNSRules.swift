import HTTP2
import ServiceKit

/// Accepts pushes as MPNS does, from unauthenticated senders.
struct MPNSRules: ProviderRules {
    static let channels = DeviceAddress("/throttledthirdparty/01.00/")

    func endpoint(of request: HTTP2ServerRequest) -> FaultRule.Endpoint { .send }

    mutating func changeCredentials(_ change: CredentialChange) {}

    mutating func judge(_ request: HTTP2ServerRequest, now: Timestamp) -> Verdict {
        do throws(MPNSError) {
            guard let channel = MPNSRules.channels.name(in: request.path) else { throw .expired }
            guard request.method == "POST" else { throw .methodNotAllowed }
            return MPNSRules.verdict(on: try MPNSMessage(request.headers, body: request.body), channel: channel)
        } catch {
            return Verdict(refusedFor: error.rawValue, MPNSRules.answer(error))
        }
    }

    func answer(_ error: AskedError, to request: HTTP2ServerRequest, now: Timestamp) -> HTTP2Answer {
        if let known = error.reason.flatMap(MPNSError.init) {
            return MPNSRules.answer(known, status: error.status, retryAfter: error.retryAfter)
        }
        var headers = HTTP2Headers()
        if let seconds = error.retryAfter { headers.append("retry-after", String(seconds)) }
        return .withLength(error.status, headers: headers)
    }

    private static func verdict(on message: MPNSMessage, channel: String) -> Verdict {
        let word = TokenPrefix.of(channel).map(String.init)
        if let fault = word.flatMap({ TokenPrefix.faults[$0] }) { return Verdict(fault: fault) }
        switch word.flatMap({ MPNSName.effects[$0] }) {
        case .refusal(let error, let retryAfter):
            return Verdict(refusedFor: error.rawValue, answer(error, retryAfter: retryAfter))
        case .status(let status): return Verdict(refusedFor: status, accepted(status))
        case nil:
            return Verdict(
                taken: [Delivery(device: channel, mark: message.task, task: message.task)], accepted("Received"))
        }
    }

    /// 200, which says only in its headers whether the push is delivered.
    private static func accepted(_ status: String) -> HTTP2Answer {
        .withLength(headers: [
            "x-notificationstatus": status, "x-subscriptionstatus": "Active", "x-deviceconnectionstatus": "Connected",
        ])
    }

    private static func answer(_ error: MPNSError, status: Int? = nil, retryAfter: Int? = nil) -> HTTP2Answer {
        let (subscription, connection) = error.standing
        var headers: HTTP2Headers = [
            "x-notificationstatus": "Dropped", "x-subscriptionstatus": subscription,
            "x-deviceconnectionstatus": connection,
        ]
        if let retryAfter { headers.append("retry-after", String(retryAfter)) }
        return .withLength(status ?? error.status, headers: headers)
    }
}
