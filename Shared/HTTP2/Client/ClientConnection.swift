import ServiceKit
import TLSSocket

/// One connection of a pool: socket, session and heartbeat. Confined to the pool's thread.
final class ClientConnection {
    let session: ClientSession
    /// Counted from one over all connections of its pool.
    let number: Int
    /// Time at which it last ended a request, or became ready.
    var lastAnswer: Duration
    private let transport: Transport
    private var heartbeat: Heartbeat
    /// The event that the handshake waits for.
    private var progress = TLSSocket.Progress.wantWrite
    private var pollPlace: Int?
    private let address: String

    init(_ context: PoolContext, finding: HostLookup.Finding, number: Int, now: Duration) throws(HTTP2Error) {
        let endpoint = context.endpoint
        self.number = number
        address = "\(endpoint)"
        lastAnswer = now
        session = ClientSession(context.configuration, authority: endpoint.authority)
        heartbeat = Heartbeat(context.configuration, now: now)
        transport = Transport(
            try HTTP2Error.translating { () throws(TLSSocketError) in
                try TLSSocket(
                    peer: "\(endpoint)", at: finding.addresses, tls: finding.tls,
                    serverName: endpoint.serverName ?? endpoint.host)
            })
    }

    /// Number of further requests it accepts now; none while earlier ones wait to be written, since that may last as
    /// long as the peer does not read.
    var room: Int { transport.isBlocked ? 0 : session.room }

    /// False if this connection cannot send it.
    func send(_ request: PendingRequest) -> Bool {
        request.connection = number
        return session.send(request)
    }

    /// Continues the handshake as far as possible, then reads.
    func read(_ loop: ReactorLoop, now: Duration) throws(HTTP2Error) {
        let isReady = loop.set.isReady(pollPlace)
        if transport.socket.phase != .open {
            try shakeHands()
            guard transport.socket.phase == .open else { return }
            heartbeat.heard(now: now)
        }
        guard isReady || transport.hasUnread else { return }
        let (count, isEnded) = try transport.read(into: session, by: loop.buffer)
        if count > 0 { heartbeat.heard(now: now) }
        guard isEnded else { return }
        let reason = session.goodbye.map { ": \($0.message)" } ?? ""
        throw HTTP2Error(.broken, message: "\(address) closed the connection\(reason)")
    }

    /// Writes the session's frames, after a PING if one is due.
    func write(now: Duration) throws(HTTP2Error) {
        guard transport.socket.phase == .open else { return }
        heartbeat.noteOwed(!session.open.isEmpty, now: now)
        switch heartbeat.beat(now: now) {
        case .none: break
        case .ping: session.ping()
        case .giveUp: throw HTTP2Error(.silent, message: "\(address) did not answer a PING")
        }
        try transport.write(from: session) { session.bytesTaken = $0 }
        if session.isOver && session.goodbye == nil {
            throw HTTP2Error(.protocolViolation, message: "\(address) violated the HTTP/2 protocol")
        }
    }

    /// The socket is unusable: requests not written to it can go elsewhere.
    func breakUp(_ error: HTTP2Error) {
        session.breakUp(bytesWritten: transport.bytesWritten, error)
    }

    /// Ends the stream of a request whose deadline has passed.
    func abandon(_ request: PendingRequest, error: HTTP2Error) -> HTTP2Outcome {
        session.abandon(request)
        guard let departure = request.departure, departure < transport.bytesWritten else { return .notSent(error) }
        return .unknown(error)
    }

    /// Sends a final GOAWAY without waiting for it to arrive.
    func sayGoodbye() {
        guard transport.socket.phase == .open else { return }
        session.sayGoodbye(lastStream: 0)
        try? transport.write(from: session)
    }

    /// When the next turn is needed; `now` for immediately.
    func prepareToWait(_ set: inout PollSet, now: Duration) -> Duration? {
        let isOpen = transport.socket.phase == .open
        let writes = isOpen ? transport.isBlocked : progress == .wantWrite
        let reads = isOpen || progress == .wantRead
        pollPlace = set.add(transport.socket.descriptor, reads: reads, writes: writes)
        guard isOpen else { return nil }
        return transport.hasUnread ? now : heartbeat.due
    }

    private func shakeHands() throws(HTTP2Error) {
        let socket = transport.socket
        progress = try HTTP2Error.translating { () throws(TLSSocketError) in try socket.advance() }
        guard progress == .done else { return }
        guard socket.applicationProtocol == "h2" else {
            throw HTTP2Error(.notOffered, message: "\(address) did not negotiate HTTP/2 (ALPN)")
        }
    }
}
