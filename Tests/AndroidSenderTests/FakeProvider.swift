import HTTP2
import ServiceKit
import TLSSocket
import TestSupport

/// A provider on loopback, with TLS: issues access tokens at `/token`, and answers messages on all other paths as
/// scripted.
final class FakeProvider: Sendable {
    struct Seen: Sendable {
        var tokenRequests: [String] = []
        var pushes: [HTTP2ServerRequest] = []
    }

    typealias Handler = @Sendable (HTTP2ServerRequest) -> HTTP2Reaction

    let authority: TestAuthority
    let server: HTTP2Server
    private let state: Monitor<Seen>

    /// Tokens are `token-1`, `token-2` and so on, unless the test sets its own answers.
    init(
        onToken: (@Sendable (Int) -> HTTP2Answer)? = nil, onPush: @escaping Handler = { _ in .answer(HTTP2Answer()) }
    ) async throws {
        let authority = try await TestAuthority()
        let state = Monitor(Seen())
        var configuration = HTTP2ServerConfiguration(
            tls: TLSServerConfiguration(certificateFile: authority.certificateFile, privateKeyFile: authority.keyFile))
        configuration.requestBodyMaximum = 1 << 20
        server = try HTTP2Server(configuration, log: quietLog) { request in
            guard request.path == "/token" else {
                state.change { $0.pushes.append(request) }
                return onPush(request)
            }
            let number = state.change { seen in
                seen.tokenRequests.append(request.text)
                return seen.tokenRequests.count
            }
            return .answer(onToken?(number) ?? FakeProvider.token("token-\(number)"))
        }
        self.authority = authority
        self.state = state
    }

    var url: String { "https://localhost:\(server.port)" }
    var seen: Seen { state.withLock { $0 } }

    static func token(_ value: String, lifetime: Int = 3_600) -> HTTP2Answer {
        HTTP2Answer(
            200, body: Array(#"{"access_token":"\#(value)","expires_in":\#(lifetime),"token_type":"Bearer"}"#.utf8))
    }
}

let quietLog = Log(service: "test", level: .error, sink: CollectingSink())

extension HTTP2ServerRequest {
    var text: String { String(decoding: body, as: UTF8.self) }
    var authorization: String { headers["authorization"] ?? "" }
}

extension HTTP2Reaction {
    static func json(_ status: Int, body: String, headers: HTTP2Headers = HTTP2Headers()) -> HTTP2Reaction {
        .answer(HTTP2Answer(status, headers: headers, body: Array(body.utf8)))
    }
}
