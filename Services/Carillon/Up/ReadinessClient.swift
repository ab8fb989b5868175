import CommandKit
import HTTPClient
import JSONKit
import ServiceHost
import ServiceKit

/// Queries the readiness of services.
struct ReadinessClient: Sendable {
    private static let deadline = Duration.seconds(5)
    private let client: HTTPClient

    init() {
        client = HTTPClient(
            configuration: HTTPClientConfiguration(name: "readiness"),
            log: Log(service: "carillon", level: .error, sink: StandardErrorSink()), metrics: Metrics())
    }

    /// Reason why the service at the address is not ready; nil if it is ready.
    func obstacle(at address: String) async -> String? {
        switch await client.send(ReadinessClient.request(address)) {
        case .answered(let answer) where answer.status == 200: return nil
        case .answered(let answer): return ReadinessClient.reasons(in: answer.body) ?? "status \(answer.status)"
        case .notSent(let failure), .unknown(let failure): return failure.message
        }
    }

    /// Reasons why the service is not ready, and its remarks.
    func remarks(at address: String) async -> [String] {
        switch await client.send(ReadinessClient.request(address)) {
        case .answered(let answer):
            let json = try? JSON(answer.body)
            return ["reasons", "remarks"].flatMap { json?[$0]?.elements?.compactMap(\.text) ?? [] }
        case .notSent(let failure), .unknown(let failure): return ["not ready: \(failure.message)"]
        }
    }

    func close() async {
        await client.close(within: .zero)
    }

    /// Programs started meanwhile would inherit a connection that stays open.
    private static func request(_ address: String) -> HTTPClientRequest {
        HTTPClientRequest(.get, url: address, to: .trusted, headers: [.init("Connection", "close")], deadline: deadline)
    }

    private static func reasons(in body: [UInt8]) -> String? {
        guard let reasons = (try? JSON(body))?["reasons"]?.elements?.compactMap(\.text), !reasons.isEmpty else {
            return nil
        }
        return reasons.joined(separator: "; ")
    }
}
