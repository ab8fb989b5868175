package import ServiceKit
import TLSSocket

/// An HTTP/2 server over TLS whose handler may answer or misbehave as providers do: the base of the provider simulator
/// and of the client's tests.
///
/// The handler runs on the reactor's thread, so it must not block. A server must be closed; until then its thread keeps
/// it alive.
package final class HTTP2Server: Sendable {
    package let port: UInt16
    private let controls: ServerControls
    private let reactor: HTTP2Reactor
    private let ownsReactor: Bool
    private let hasEnded = OneTimeEvent()

    /// Listens before it returns. Without a reactor the server creates its own.
    package init(
        _ configuration: HTTP2ServerConfiguration, log: Log, reactor: HTTP2Reactor? = nil,
        time: any TimeSource = SystemTimeSource(),
        handler: @escaping @Sendable (HTTP2ServerRequest) -> HTTP2Reaction
    ) throws(HTTP2Error) {
        var secured = configuration.tls
        secured.applicationProtocols = ["h2"]
        let tls = try HTTP2Error.translating { () throws(TLSSocketError) in try TLSContext(secured) }
        let listener = try HTTP2Error.translating { () throws(TLSSocketError) in
            try TCPListener(address: configuration.address, port: configuration.port)
        }
        port = listener.port
        ownsReactor = reactor == nil
        self.reactor = reactor ?? HTTP2Reactor(name: "http2-server", time: time)
        controls = ServerControls(self.reactor)
        self.reactor.run { [controls, hasEnded] loop in
            loop.add(
                ServerDriver(
                    configuration, listener: listener, tls: tls, controls: controls, log: log, hasEnded: hasEnded,
                    handler: handler))
        }
    }

    /// Tells each client after `count` requests on its connection to open another one (GOAWAY); nil for never.
    package func sayGoodbye(afterRequests count: Int?) {
        controls.change { $0.streamsBeforeGoodbye = count }
    }

    /// Tells all clients to open new connections.
    package func sayGoodbye() {
        controls.change { $0.commands.append(.goodbye) }
    }

    /// Closes all connections with all their streams.
    package func dropConnections() {
        controls.change { $0.commands.append(.drop) }
    }

    /// Changes the limits of clients, on open connections and new ones.
    package func changeSettings(streamsMaximum: Int, streamWindow: Int = 64 << 10) {
        controls.change {
            $0.commands.append(.settings(streamsMaximum: streamsMaximum, streamWindow: streamWindow))
        }
    }

    /// A frozen server neither accepts, reads nor writes; its sockets stay open.
    package func freeze(_ isFrozen: Bool = true) {
        controls.change { $0.isFrozen = isFrozen }
    }

    /// Closes the listener and all connections.
    package func close(within limit: Duration = .seconds(5), time: any TimeSource = SystemTimeSource()) async {
        controls.change { $0.isClosed = true }
        _ = await hasEnded.wait(atMost: limit, time: time)
        if ownsReactor { reactor.stop() }
    }
}
