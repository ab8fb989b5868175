import Apps
import HTTP2
import ProviderKit
import ServiceKit
import Signing
import Synchronization
import TLSSocket

/// One APNs key or certificate: its token, and connections to Apple's hosts. Shared by all apps that send with it, since
/// Apple counts tokens by key and binds connections to the team.
///
/// Connections are opened on first use. The creator of an account closes it.
final class APNsAccount: Sendable {
    private struct State {
        var lines: [APNsHost: APNsConnection] = [:]
        var isClosed = false
    }

    private let proof: APNsCredentials.Proof
    let configuration: APNsConfiguration
    private let resources: APNsResources
    /// Nil for an account with a certificate.
    let tokens: TokenCache?
    private let state = Mutex(State())

    init(_ proof: APNsCredentials.Proof, configuration: APNsConfiguration, resources: APNsResources) {
        self.proof = proof
        self.configuration = configuration
        self.resources = resources
        switch proof {
        case .token(let keyFile, let keyID, let teamID):
            let issuer = APNsTokenIssuer(
                keyFile: keyFile.path, keyID: keyID, teamID: teamID, window: configuration.tokenWindow,
                time: resources.time)
            tokens = TokenCache(
                refreshDeadline: APNsConfiguration.tokenLimit, time: resources.time, random: resources.random
            ) { () async throws(TokenError) in
                try await issuer.issue()
            }
        case .certificate: tokens = nil
        }
    }

    /// The outcome of pushes after the account was closed.
    static let changed = PushOutcome.notSent("the app's credentials were changed")

    /// Nil once the account is closed.
    func line(to host: APNsHost) -> APNsConnection? {
        let host = configuration.shared(host)
        return state.withLock { state in
            guard !state.isClosed else { return nil }
            if let line = state.lines[host] { return line }
            let line = APNsConnection(pool(of: host), limit: configuration.requestLimit, time: resources.time)
            state.lines[host] = line
            return line
        }
    }

    /// Pushes in flight get their time to be answered.
    func close() async {
        let lines = state.withLock { state in
            state.isClosed = true
            return state.lines.values
        }
        for line in lines { await line.close() }
    }

    private func pool(of host: APNsHost) -> HTTP2Pool {
        var http2 = HTTP2Configuration()
        http2.connections = host.purpose == .channels ? 1 : configuration.connections
        if host.purpose == .channels { http2.responseBodyMaximum = ChannelClient.listBytesMaximum }
        http2.requestLimit = configuration.requestLimit
        http2.reconnectBackoff = configuration.reconnectBackoff
        http2.requestsMaximum = max(http2.requestsMaximum, configuration.window.ceiling * 2)
        http2.tls.authorityFile = configuration.authorityFile
        switch proof {
        case .token:
            // Apple allows one stream until it has seen a valid token; any answer about the push itself proves that.
            http2.provesAuthentication = { $0.status != 403 && $0.status < 429 }
        case .certificate(let file, let keyFile):
            http2.tls.certificateFile = file.path
            http2.tls.privateKeyFile = (keyFile ?? file).path
        }
        return HTTP2Pool(
            configuration.endpoint(of: host), configuration: http2, log: resources.log, metrics: resources.metrics,
            reactor: resources.reactor, time: resources.time, random: resources.random)
    }
}
