import TLSSocket

/// A TLS connection during its handshake; the connection of the negotiated protocol then replaces it.
final class TLSGreeting: Connection {
    let id: UInt64
    let isBusy = false
    private let socket: TLSSocket
    private unowned let loop: EventLoop
    private let began: Duration
    private var isOver = false

    init(id: UInt64, socket: TLSSocket, loop: EventLoop) {
        self.id = id
        self.socket = socket
        self.loop = loop
        began = loop.now
    }

    /// A client that has not finished its handshake has sent no request yet.
    var idleSince: Duration? { began }

    func handle(_ event: Poller.Event) {
        if event.isBroken, !event.isReadable { return close() }
        advance()
    }

    func advance() {
        guard !isOver else { return }
        // A failed handshake is the client's error and is not reported.
        guard let progress = try? socket.advance() else { return close() }
        guard progress == .done else { return }
        isOver = true
        let deadline = began + loop.core.configuration.headerDeadline
        let next: any Connection =
            socket.applicationProtocol == "h2"
            ? HTTP2Connection(id: id, socket: socket, loop: loop, greetingDeadline: deadline)
            : HTTP1Connection(id: id, socket: socket, loop: loop, headerDeadline: deadline)
        loop.replace(self, by: next)
        next.advance()
    }

    func expire() {
        guard loop.now >= began + loop.core.configuration.headerDeadline else { return }
        loop.core.instruments.countRefusal(.headerLate)
        close()
    }

    func drain() {
        close()
    }

    func close() {
        guard !isOver else { return }
        isOver = true
        loop.closed(self)
    }
}
