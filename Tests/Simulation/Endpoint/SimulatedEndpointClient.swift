import HTTPClient
import ServiceKit

@testable import Reporter

/// A reporter's connection to the backend of the app.
struct SimulatedEndpointClient: EndpointClient {
    private static let roundTrips = Duration.milliseconds(10) ... .milliseconds(200)
    private static let slowRoundTrips = Duration.seconds(2) ... .seconds(20)

    let endpoint: SimulatedEndpoint
    let seam: Seam
    let deadline: Duration

    func send(_ request: HTTPClientRequest) async -> HTTPClientOutcome {
        let mood = endpoint.mood
        guard mood != .unreachable, await seam.reach("endpoint.post", faults: Faults()) else {
            return .notSent(HTTPClientError(.unreachable, message: "no connection"))
        }
        if mood != .refusing { endpoint.accept(SimulatedEndpointClient.accepted(request)) }
        let roundTrip = seam.duration(
            mood == .slow ? SimulatedEndpointClient.slowRoundTrips : SimulatedEndpointClient.roundTrips)
        try? await seam.clock.sleep(for: min(roundTrip, deadline))
        guard await seam.reach("endpoint.answer", faults: Faults()), roundTrip < deadline, mood != .losingAnswers
        else { return .unknown(HTTPClientError(.deadline, message: "no answer")) }
        return .answered(HTTPClientResponse(status: mood == .refusing ? 500 : 200))
    }

    private static func accepted(_ request: HTTPClientRequest) -> SimulatedEndpoint.Accepted {
        func header(_ name: String) -> String? { request.headers.first { $0.name == name }?.value }
        let kind: SimulatedEndpoint.Kind =
            switch header("X-CTX-Event-Type") {
            case nil: .report
            case "message_status": .states
            case "device_transition": .transitions
            case let other?: preconditionFailure("an unknown event \(other)")
            }
        guard let id = header(kind == .report ? "Idempotency-Key" : "X-Idempotency-Key") else {
            preconditionFailure("a post without an id")
        }
        return SimulatedEndpoint.Accepted(kind: kind, id: id, body: request.body)
    }
}

/// The app's secrets are never wrong, and not read from files, which takes a thread.
struct SimulatedEndpointSecrets: EndpointSecretReader {
    func read(_ files: EndpointSecretFiles) -> EndpointSecrets {
        EndpointSecrets(header: nil, signingKey: nil)
    }
}
