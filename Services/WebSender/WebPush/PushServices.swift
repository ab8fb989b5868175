import HTTP2
import HTTPClient
import ProviderKit
import ServiceKit

/// The ways to push services, which all apps share: HTTP/2 pools for the large ones, the HTTP client for any other, and
/// for large ones that do not offer HTTP/2.
final class PushServices: Sendable {
    private let configuration: WebPushConfiguration
    private let pools: PushServicePools
    private let client: HTTPClient

    init(_ configuration: WebPushConfiguration, pools: PushServicePools, client: HTTPClient) {
        self.configuration = configuration
        self.pools = pools
        self.client = client
    }

    /// True for the large ones, whose answers may concern the whole app.
    func areLarge(_ origin: PushOrigin) -> Bool {
        configuration.services.contains(origin)
    }

    /// Sends each once; the outcomes are in the order of the requests.
    func send(_ requests: [WebPushRequest], to origin: PushOrigin, now: Timestamp) async -> [PushOutcome] {
        guard areLarge(origin), let answers = await pools.send(requests.map(\.forPool), to: origin) else {
            return await sendEach(requests, now: now)
        }
        var outcomes = answers.map { PushOutcome(toOrigin: $0) { WebPushAnswer.read($0, now: now) } }
        let unsent = answers.indices.filter { answers[$0].isNotOffered }
        guard !unsent.isEmpty else { return outcomes }
        let others = await sendEach(unsent.map { requests[$0] }, now: now)
        for (position, outcome) in zip(unsent, others) { outcomes[position] = outcome }
        return outcomes
    }

    func close() async {
        await pools.close()
        await client.close(within: .seconds(1))
    }

    private func sendEach(_ requests: [WebPushRequest], now: Timestamp) async -> [PushOutcome] {
        if requests.count == 1 { return [await send(requests[0], now: now)] }
        return await withTaskGroup(of: (Int, PushOutcome).self) { group in
            for (position, request) in requests.enumerated() {
                group.addTask { (position, await self.send(request, now: now)) }
            }
            var outcomes = requests.map { _ in PushOutcome.notSent("") }
            for await (position, outcome) in group { outcomes[position] = outcome }
            return outcomes
        }
    }

    private func send(_ request: WebPushRequest, now: Timestamp) async -> PushOutcome {
        let outcome = await client.send(request.forClient(configuration.traffic.addresses))
        return PushOutcome(toOrigin: outcome) { WebPushAnswer.read($0, now: now) }
    }
}

extension PushOutcome {
    /// As for the HTTP client: a failure concerns the pushes to one service.
    fileprivate init(toOrigin outcome: HTTP2Outcome, answer: (HTTP2Response) -> ProviderAnswer) {
        switch outcome {
        case .answered(let response): self = .answered(answer(response))
        case .unknown(let failure): self = .unknown(failure.message)
        case .notSent(let failure): self = .init(toOrigin: failure)
        }
    }

    private init(toOrigin failure: HTTP2Error) {
        switch failure.code {
        case .addressRefused: self = .unsendable("address_refused")
        case .full, .closed: self = .heldBack(OriginRefusal.retry, reason: failure.message)
        // The file of authorities.
        case .misconfigured: self = .unsent(failure)
        case .deadline, .unreachable, .untrusted, .notOffered, .protocolViolation, .refused, .reset, .broken, .silent:
            self = .notSent(failure.message)
        }
    }
}
