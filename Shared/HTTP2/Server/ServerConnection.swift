import TLSSocket

/// One client of a server. Confined to the server's thread.
final class ServerConnection {
    let number: Int
    let session: ServerSession
    private let transport: Transport
    private let openDeadline: Duration
    private let requiresALPN: Bool
    private var progress = TLSSocket.Progress.wantRead
    private var pollPlace: Int?
    private(set) var clientName: String?
    /// Set when both sides are done; until then data of the client is read and dropped.
    private var lingerDeadline: Duration?
    private static let linger = Duration.seconds(2)

    init(_ socket: TLSSocket, number: Int, session: ServerSession, openDeadline: Duration, requiresALPN: Bool) {
        self.number = number
        self.requiresALPN = requiresALPN
        self.session = session
        self.openDeadline = openDeadline
        transport = Transport(socket)
    }

    func read(_ loop: ReactorLoop, now: Duration) throws(HTTP2Error) {
        guard session.isGreeted || now < openDeadline else {
            throw HTTP2Error(.unreachable, message: "the client did not complete the handshake")
        }
        if let lingerDeadline, now >= lingerDeadline { throw HTTP2Error(.closed, message: "both sides are done") }
        guard loop.set.isReady(pollPlace) || transport.hasUnread else { return }
        if transport.socket.phase != .open {
            try shakeHands()
            guard transport.socket.phase == .open else { return }
        }
        if lingerDeadline != nil {
            if try transport.discard(by: loop.buffer) { throw HTTP2Error(.closed, message: "both sides are done") }
            return
        }
        let (_, isEnded) = try transport.read(into: session, by: loop.buffer)
        if isEnded { throw HTTP2Error(.broken, message: "the client closed the connection") }
    }

    func write() throws(HTTP2Error) {
        guard transport.socket.phase == .open else { return }
        try transport.write(from: session)
    }

    /// While a client does not read its responses, its requests are not read either.
    func prepareToWait(_ set: inout PollSet, now: Duration) -> Duration? {
        let isOpen = transport.socket.phase == .open
        // If closed with unread requests, the kernel would also drop responses still in transit to the client.
        if isOpen && session.isOver && !transport.isBlocked && lingerDeadline == nil {
            lingerDeadline = now + ServerConnection.linger
        }
        let writes = isOpen ? transport.isBlocked : progress == .wantWrite
        let reads = isOpen ? !transport.isBlocked : progress == .wantRead
        pollPlace = set.add(transport.socket.descriptor, reads: reads, writes: writes)
        if isOpen && transport.hasUnread && reads { return now }
        if let lingerDeadline { return lingerDeadline }
        return session.isGreeted ? nil : openDeadline
    }

    /// Neither reads nor writes until the next call.
    func rest() {
        pollPlace = nil
    }

    private func shakeHands() throws(HTTP2Error) {
        let socket = transport.socket
        progress = try HTTP2Error.translating { () throws(TLSSocketError) in try socket.advance() }
        guard progress == .done else { return }
        let isAgreed = socket.applicationProtocol == "h2"
        // A client that offers only other protocols fails in the handshake.
        guard isAgreed || (socket.applicationProtocol == nil && !requiresALPN) else {
            throw HTTP2Error(.protocolViolation, message: "the client does not offer HTTP/2 (ALPN)")
        }
        clientName = socket.peerName
    }
}
