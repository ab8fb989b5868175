import HTTP2
import ServiceKit
import TLSSocket
import TestSupport

/// A real server on loopback with a certificate of its own CA, and pools that trust it.
final class LoopbackServer: Sendable {
    let server: HTTP2Server
    let authority: TestAuthority
    /// Number of requests that the handler has received, by path.
    let seen = Monitor<[String: Int]>([:])

    init(
        _ authority: TestAuthority? = nil, adjust: (inout HTTP2ServerConfiguration) -> Void = { _ in },
        handler: @escaping @Sendable (HTTP2ServerRequest) -> HTTP2Reaction = { _ in .answer(HTTP2Answer()) }
    ) async throws {
        let known: TestAuthority
        if let authority { known = authority } else { known = try await TestAuthority() }
        self.authority = known
        var configuration = HTTP2ServerConfiguration(
            tls: TLSServerConfiguration(certificateFile: known.certificateFile, privateKeyFile: known.keyFile))
        adjust(&configuration)
        server = try HTTP2Server(configuration, log: quietLog) { [seen] request in
            let reaction = handler(request)
            // A refused request counts as not processed.
            if case .refuse = reaction { return reaction }
            seen.change { $0[request.path, default: 0] += 1 }
            return reaction
        }
    }

    var endpoint: HTTP2Endpoint { HTTP2Endpoint(host: "localhost", port: server.port) }

    func pool(
        metrics: Metrics = Metrics(), adjust: (inout HTTP2Configuration) -> Void = { _ in }
    ) -> HTTP2Pool {
        HTTP2Pool(endpoint, configuration: configuration(adjust), log: quietLog, metrics: metrics)
    }

    func configuration(_ adjust: (inout HTTP2Configuration) -> Void = { _ in }) -> HTTP2Configuration {
        var configuration = HTTP2Configuration()
        configuration.tls.authorityFile = authority.authorityFile
        configuration.reconnectBackoff = Backoff(first: .milliseconds(5), longest: .milliseconds(50))
        adjust(&configuration)
        return configuration
    }

    func end(_ pool: HTTP2Pool) async {
        await pool.close()
        await server.close()
    }

    /// Waits until this many requests have reached the handler; false on timeout.
    func hasSeen(_ count: Int) async -> Bool {
        await blocking { [seen] in
            seen.wait(timeout: .hangLimit) { $0.values.reduce(0, +) >= count ? true : nil } ?? false
        }
    }
}

let quietLog = Log(service: "http2-tests", level: .error, sink: CollectingSink())

func requests(_ count: Int, body: [UInt8] = Array("{}".utf8)) -> [HTTP2Request] {
    (0..<count).map { HTTP2Request(.post, "/3/device/\($0)", body: body) }
}

extension HTTP2Outcome {
    var response: HTTP2Response? {
        guard case .answered(let response) = self else { return nil }
        return response
    }

    var status: Int? { response?.status }

    var isUnknown: Bool {
        if case .unknown = self { return true }
        return false
    }

    /// The error code of a request that was not sent or whose outcome is unknown.
    var code: HTTP2Error.Code? {
        switch self {
        case .answered: nil
        case .notSent(let error), .unknown(let error): error.code
        }
    }

    var isNotSent: Bool {
        if case .notSent = self { return true }
        return false
    }
}
