import HTTPClient
import HTTPServer
import ServiceKit
import TestSupport

extension HTTPClientConfiguration {
    static var forTests: HTTPClientConfiguration { HTTPClientConfiguration(name: "test") }
}

/// Runs the body with a client.
func withClient(
    _ configuration: HTTPClientConfiguration = .forTests, metrics: Metrics = Metrics(),
    sink: any LogSink = CollectingSink(),
    body: (HTTPClient) async throws -> Void
) async throws {
    let client = HTTPClient(
        configuration: configuration, log: Log(service: "test", level: .debug, sink: sink), metrics: metrics)
    try await withCleanup({ await client.close(within: .zero) }) { try await body(client) }
}

/// Runs the body with a server on a free port.
func withServer(_ router: HTTPRouter, body: (String) async throws -> Void) async throws {
    let server = HTTPServer(
        configuration: HTTPServerConfiguration(), router: router,
        log: Log(service: "test", sink: CollectingSink()), metrics: Metrics())
    try server.start()
    guard let port = server.port else { preconditionFailure("a started server has a port") }
    try await withCleanup({ await server.stop(within: .zero) }) { try await body("http://127.0.0.1:\(port)") }
}

extension HTTPClientOutcome {
    var response: HTTPClientResponse? {
        guard case .answered(let response) = self else { return nil }
        return response
    }

    var notSent: HTTPClientError.Code? {
        guard case .notSent(let failure) = self else { return nil }
        return failure.code
    }

    var unknown: HTTPClientError.Code? {
        guard case .unknown(let failure) = self else { return nil }
        return failure.code
    }
}

extension HTTPClientResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
