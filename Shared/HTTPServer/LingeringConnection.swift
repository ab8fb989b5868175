import ServiceKit
import TLSSocket

/// A connection after its last response.
///
/// Closing a socket that still receives data makes the kernel reset the connection, and the client may lose the
/// response that rejects its body. So our side is shut down, and the socket is read until the client closes its own.
final class LingeringConnection: Connection {
    private static let time = Duration.seconds(5)
    private static let bytesMaximum = 64 << 20
    private static let readsInTurnMaximum = 4

    let id: UInt64
    let idleSince: Duration? = nil
    let isBusy = false
    let isLingering = true
    private let socket: TLSSocket
    private unowned let loop: EventLoop
    private let deadline: Duration
    private var bytesLeft = LingeringConnection.bytesMaximum
    private var isClosed = false

    init(id: UInt64, socket: TLSSocket, loop: EventLoop) {
        self.id = id
        self.socket = socket
        self.loop = loop
        deadline = loop.now + LingeringConnection.time
        socket.endWriting()
    }

    func handle(_ event: Poller.Event) {
        if event.isBroken, !event.isReadable { return close() }
        advance()
    }

    func advance() {
        for _ in 0..<LingeringConnection.readsInTurnMaximum where !isClosed {
            // Remaining data of the client is discarded, with and without TLS.
            switch socket.discard(into: loop.buffer) {
            case .bytes(let count):
                bytesLeft -= count
                if bytesLeft <= 0 { return close() }
            case .wantRead, .wantWrite: return
            case .end: return close()
            }
        }
        if !isClosed { loop.runAgain(self) }
    }

    func expire() {
        if loop.now >= deadline { close() }
    }

    func drain() {}

    func close() {
        guard !isClosed else { return }
        isClosed = true
        loop.closed(self)
    }
}
