import HTTP2
import ServiceKit
import TLSSocket
import TestSupport

/// A real server on loopback that answers as scripted and records the requests.
final class ScriptedApple: Sendable {
    struct Seen {
        var requests = 0
        /// Number of 200 answers by path.
        var delivered: [String: Int] = [:]
        /// Number of requests by token.
        var authorizations: [String: Int] = [:]
        var last: HTTP2ServerRequest?
    }

    let server: HTTP2Server
    let seen = Monitor(Seen())

    /// The script gets the request and its number, counted from one.
    init(
        _ authority: TestAuthority, streamsMaximum: Int = 1_000, clientAuthorityFile: String? = nil,
        script: @escaping @Sendable (HTTP2ServerRequest, Int) -> HTTP2Reaction = { _, _ in .accepted }
    ) throws {
        var configuration = HTTP2ServerConfiguration(
            tls: TLSServerConfiguration(
                certificateFile: authority.certificateFile, privateKeyFile: authority.keyFile))
        configuration.streamsMaximum = streamsMaximum
        configuration.tls.clientAuthorityFile = clientAuthorityFile
        server = try HTTP2Server(configuration, log: quietLog) { [seen] request in
            let number = seen.change { seen in
                seen.requests += 1
                seen.last = request
                if let authorization = request.headers["authorization"] {
                    seen.authorizations[authorization, default: 0] += 1
                }
                return seen.requests
            }
            let reaction = script(request, number)
            if case .answer(let answer) = reaction, answer.status == 200 {
                seen.change { $0.delivered[request.path, default: 0] += 1 }
            }
            return reaction
        }
    }

    var endpoint: HTTP2Endpoint { HTTP2Endpoint(host: "localhost", port: server.port) }
    var requests: Int { seen.withLock { $0.requests } }
    var delivered: [String: Int] { seen.withLock { $0.delivered } }
    var repeats: Int { delivered.values.filter { $0 > 1 }.count }
    var authorizations: [String: Int] { seen.withLock { $0.authorizations } }

    /// Waits until `count` requests have arrived; false on timeout.
    func hasSeen(_ count: Int) async -> Bool {
        await blocking { [seen] in
            seen.wait(timeout: .hangLimit) { $0.requests >= count ? true : nil } ?? false
        }
    }
}

extension HTTP2Reaction {
    static let accepted = HTTP2Reaction.answer(HTTP2Answer())

    static func refused(
        _ status: Int, reason: String, timestamp: Int64? = nil, headers: HTTP2Headers = [:]
    ) -> HTTP2Reaction {
        let body = JSONText.object { json in
            json.member("reason", reason)
            if let timestamp { json.member("timestamp", Int(timestamp)) }
        }
        return .answer(HTTP2Answer(status, headers: headers, body: Array(body.utf8)))
    }
}

let quietLog = Log(service: "apns-tests", level: .error, sink: CollectingSink())
