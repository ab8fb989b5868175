import HTTPClient
package import JSONKit
import ServiceHost
package import ServiceKit

/// Requests to a pipeline on this machine: to the API with an app's key, and to the simulator.
package struct LocalHTTP: Sendable {
    private static let deadline = Duration.seconds(30)
    /// The simulator shows a thousand pushes at a time.
    private static let limits = JSONLimits(
        bytesMaximum: 16 << 20, valuesMaximum: 200_000, containersMaximum: 100_000)
    private let client: HTTPClient

    package init() {
        client = HTTPClient(
            configuration: HTTPClientConfiguration(name: "local"),
            log: Log(service: "carillon", level: .error, sink: StandardErrorSink()), metrics: Metrics())
    }

    package func close() async {
        await client.close(within: .zero)
    }

    package func get(_ url: String, key: Secret? = nil) async throws -> JSON {
        try await send(HTTPClientRequest(.get, url: url, to: .trusted, headers: LocalHTTP.headers(key, type: nil)))
    }

    package func post(_ url: String, body: String, type: String, key: Secret? = nil) async throws -> JSON {
        try await send(
            HTTPClientRequest(
                .post, url: url, to: .trusted, headers: LocalHTTP.headers(key, type: type), body: Array(body.utf8),
                deadline: LocalHTTP.deadline, isRepeatable: true))
    }

    package func delete(_ url: String) async throws {
        _ = try await send(
            HTTPClientRequest(.delete, url: url, to: .trusted, deadline: LocalHTTP.deadline, isRepeatable: true))
    }

    private func send(_ request: HTTPClientRequest) async throws -> JSON {
        switch await client.send(request) {
        case .answered(let response) where 200...299 ~= response.status:
            return response.body.isEmpty ? .null : try JSON(response.body, limits: LocalHTTP.limits)
        case .answered(let response):
            let text = String(decoding: response.body.prefix(500), as: UTF8.self)
            throw LocalHTTPError(description: "\(request) answered \(response.status): \(text)")
        case .notSent(let failure), .unknown(let failure):
            throw LocalHTTPError(description: "\(request): \(failure.message)")
        }
    }

    private static func headers(_ key: Secret?, type: String?) -> [HTTPClientRequest.Header] {
        (key.map { [.init("Authorization", "Bearer \($0.reveal())")] } ?? [])
            + (type.map { [.init("Content-Type", $0)] } ?? [])
    }
}

struct LocalHTTPError: Error, CustomStringConvertible {
    let description: String
}
