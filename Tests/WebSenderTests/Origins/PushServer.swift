import HTTP2
import HTTPClient
import ProviderKit
import ServiceKit
import TLSSocket
import TestSupport
import Topics

@testable import WebSender

/// A server on loopback, with TLS, that devices name in their addresses: answers as scripted and records the requests.
final class PushServer: Sendable {
    typealias Handler = @Sendable (HTTP2ServerRequest) -> HTTP2Reaction

    let authority: TestAuthority
    let server: HTTP2Server
    let seen = Monitor<[HTTP2ServerRequest]>([])

    init(
        _ authority: TestAuthority? = nil, clientAuthorityFile: String? = nil,
        handler: @escaping Handler = { _ in .answer(HTTP2Answer()) }
    ) async throws {
        let own = if let authority { authority } else { try await TestAuthority() }
        self.authority = own
        var configuration = HTTP2ServerConfiguration(
            tls: TLSServerConfiguration(certificateFile: own.certificateFile, privateKeyFile: own.keyFile))
        configuration.tls.clientAuthorityFile = clientAuthorityFile
        server = try HTTP2Server(configuration, log: quietLog) { [seen] request in
            seen.change { $0.append(request) }
            return handler(request)
        }
    }

    var requests: [HTTP2ServerRequest] { seen.withLock { $0 } }
    var url: String { "https://localhost:\(server.port)" }

    /// The settings with which a gateway reaches it.
    func traffic(deadline: Duration = .seconds(20)) throws -> OriginConfiguration {
        var traffic = OriginConfiguration(deadline: deadline)
        traffic.addresses = AddressPolicy(allowed: [try AddressRange("127.0.0.0/8"), try AddressRange("::1/128")])
        traffic.authorityFile = authority.authorityFile
        return traffic
    }

    func close() async {
        await server.close()
    }
}

extension HTTP2ServerRequest {
    var text: String { String(decoding: body, as: UTF8.self) }
}

extension HTTP2Reaction {
    static func status(_ status: Int, headers: HTTP2Headers = HTTP2Headers()) -> HTTP2Reaction {
        .answer(HTTP2Answer(status, headers: headers))
    }
}

extension PushGateway {
    /// Admits and sends.
    func deliver(_ pushes: [Push]) async -> [PushOutcome] {
        guard case .admitted(pushes.count) = await admit(pushes.count, lane: .bulk) else { return [] }
        return await send(pushes)
    }
}
