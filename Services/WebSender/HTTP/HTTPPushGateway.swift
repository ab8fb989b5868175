import HTTPClient
import ProviderKit
import PushModel
import ServiceKit
import Signing
import Topics

/// Posts pushes of one app to the publisher's own servers: a device is an address there.
final class HTTPPushGateway: OriginGateway {
    private let configuration: HTTPPushConfiguration
    private let requests: OriginRequests
    private let signingKey: HMACKey?
    let gate: OriginGate
    private let time: any TimeSource

    init(
        _ configuration: HTTPPushConfiguration, requests: OriginRequests, signingKey: HMACKey?, gate: OriginGate,
        time: any TimeSource
    ) {
        self.configuration = configuration
        self.requests = requests
        self.signingKey = signingKey
        self.gate = gate
        self.time = time
    }

    func send(_ pushes: [Push], to origin: PushOrigin) async -> [PushOutcome] {
        let now = time.now
        return await requests.send(pushes.map { .ready(request($0, now: now)) }) { response in
            HTTPPushErrorTable.table.answer(status: response.status, retryAfter: response.retryAfter(now: now))
        }
    }

    private func request(_ push: Push, now: Timestamp) -> HTTPClientRequest {
        let body = push.payload
        var headers = [
            HTTPClientRequest.Header("Content-Type", "application/json"),
            // The same for each attempt, so that a server can drop repeats.
            HTTPClientRequest.Header("Idempotency-Key", push.id.description),
        ]
        if let signingKey {
            headers.append(.init(RequestSignature.header, RequestSignature.value(of: body, at: now, key: signingKey)))
        }
        return HTTPClientRequest(
            .post, url: push.token, to: .untrusted(configuration.traffic.addresses), headers: headers, body: body)
    }
}
