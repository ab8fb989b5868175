import HTTPClient
import ProviderKit

/// Sends each push in a request of its own, to an address that its device registered.
struct OriginRequests: Sendable {
    /// A push as a request, or the reason why it cannot become one.
    enum Prepared: Sendable {
        case ready(HTTPClientRequest)
        case unsendable(String)
    }

    /// Status and headers count; of a body, at most the error that it names.
    static let responseBytesMaximum = 4 << 10

    let client: HTTPClient

    /// The outcomes are in the order of the requests.
    func send(
        _ requests: [Prepared], answer: @escaping @Sendable (HTTPClientResponse) -> ProviderAnswer
    ) async -> [PushOutcome] {
        // Most servers get one push at a time.
        if requests.count == 1 { return [await send(requests[0], answer: answer)] }
        return await withTaskGroup(of: (Int, PushOutcome).self) { group in
            for (position, request) in requests.enumerated() {
                group.addTask { (position, await self.send(request, answer: answer)) }
            }
            var outcomes = requests.map { _ in PushOutcome.notSent("") }
            for await (position, outcome) in group { outcomes[position] = outcome }
            return outcomes
        }
    }

    private func send(_ request: Prepared, answer: (HTTPClientResponse) -> ProviderAnswer) async -> PushOutcome {
        switch request {
        case .ready(let request): PushOutcome(toOrigin: await client.send(request), answer: answer)
        case .unsendable(let reason): .unsendable(reason)
        }
    }
}
