import TLSSocket

/// One client of a server. Its server's thread's alone.
final class ServerConnection {
    let number: Int
    let session: ServerSession
    private let transport: Transport
    private let openDeadline: Duration
    private let requiresALPN: Bool
    private var progress = TLSSocket.Progress.wantRead
    private var pollPlace: Int?
    private(set) var clientName: String?

    init(_ socket: TLSSocket, number: Int, _ session: ServerSession, openDeadline: Duration, requiresALPN: Bool) {
        self.number = number
        self.requiresALPN = requiresALPN
        self.session = session
        self.openDeadline = openDeadline
        transport = Transport(socket)
    }

    func read(_ loop: ReactorLoop, now: Duration) throws(HTTP2Error) {
        guard session.isGreeted || now < openDeadline else {
            throw HTTP2Error(.unreachable, "the client did not finish its greeting")
        }
        guard loop.set.isReady(pollPlace) || transport.hasUnread else { return }
        if transport.socket.phase != .open {
            try shakeHands()
            guard transport.socket.phase == .open else { return }
        }
        let (_, isEnded) = try transport.read(into: session, by: loop.buffer)
        if isEnded { throw HTTP2Error(.broken, "the client closed the connection") }
    }

    func write() throws(HTTP2Error) {
        guard transport.socket.phase == .open else { return }
        try transport.write(from: session)
        if session.isOver && !transport.isBlocked { throw HTTP2Error(.closed, "both sides are done") }
    }

    /// A client that does not read its answers is not read either.
    func prepareToWait(_ set: inout PollSet, now: Duration) -> Duration? {
        let isOpen = transport.socket.phase == .open
        let writes = isOpen ? transport.isBlocked : progress == .wantWrite
        let reads = isOpen ? !transport.isBlocked : progress == .wantRead
        pollPlace = set.add(transport.socket.descriptor, reads: reads, writes: writes)
        if isOpen && transport.hasUnread && reads { return now }
        return session.isGreeted ? nil : openDeadline
    }

    /// Neither reads nor writes until it is asked again.
    func rest() {
        pollPlace = nil
    }

    private func shakeHands() throws(HTTP2Error) {
        let socket = transport.socket
        progress = try HTTP2Error.translating { () throws(TLSSocketError) in try socket.advance() }
        guard progress == .done else { return }
        let isAgreed = socket.applicationProtocol == "h2"
        // A client that offers only other protocols does not get this far.
        guard isAgreed || (socket.applicationProtocol == nil && !requiresALPN) else {
            throw HTTP2Error(.protocolViolation, "the client does not offer HTTP/2 (ALPN)")
        }
        clientName = socket.peerName
    }
}
