import TLSSocket

/// Moves the bytes of one connection between its socket and its session. Frames are collected first, so that a turn of
/// the loop is one write for any number of requests.
final class Transport {
    let socket: TLSSocket
    /// The kernel accepts no more data; wait until the socket is writable.
    private(set) var isBlocked = false
    /// The TLS buffer holds data that polling the socket would not report.
    private(set) var hasUnread = false
    /// Number of collected bytes the socket has accepted since the connection was opened.
    private(set) var bytesWritten = 0
    private(set) var bytesGathered = 0
    private var outgoing: [UInt8] = []
    private var outgoingStart = 0

    /// Limit of the bytes collected before a write, and of those read or written in one turn.
    private static let pieceBytes = 64 << 10
    private static let piecesMaximum = 16
    /// Less than a connection can have in transit, so that both sides work in parallel instead of alternating.
    private static let readMaximum = 16 << 10

    init(_ socket: TLSSocket) {
        self.socket = socket
        outgoing.reserveCapacity(Transport.pieceBytes * 3 / 2)
    }

    /// Reads available data and passes it to the session. False if the peer has ended the connection.
    func read(
        into session: NGHTTP2Session, by buffer: UnsafeMutableRawBufferPointer
    ) throws(HTTP2Error) -> (bytes: Int, isEnded: Bool) {
        hasUnread = false
        var total = 0
        while total < Transport.readMaximum {
            let transfer = try HTTP2Error.translating { () throws(TLSSocketError) in try socket.read(into: buffer) }
            switch transfer {
            case .bytes(let count):
                total += count
                guard session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
                    throw HTTP2Error(.protocolViolation, message: "the peer does not speak HTTP/2")
                }
            case .wantRead, .wantWrite: return (total, false)
            case .end: return (total, true)
            }
        }
        hasUnread = true
        return (total, false)
    }

    /// Reads and discards available data; true if the peer has ended the connection.
    func discard(by buffer: UnsafeMutableRawBufferPointer) throws(HTTP2Error) -> Bool {
        hasUnread = false
        var total = 0
        while total < Transport.readMaximum {
            switch try HTTP2Error.translating({ () throws(TLSSocketError) in try socket.read(into: buffer) }) {
            case .bytes(let count): total += count
            case .wantRead, .wantWrite: return false
            case .end: return true
            }
        }
        hasUnread = true
        return false
    }

    /// Collects the session's frames and writes them until all are written or the socket is full.
    func write(from session: NGHTTP2Session, gathered: (Int) -> Void = { _ in }) throws(HTTP2Error) {
        isBlocked = false
        for _ in 0..<Transport.piecesMaximum {
            gather(from: session, gathered)
            guard outgoingStart < outgoing.count else { return }
            let attempt = outgoing.withUnsafeBytes { bytes in
                Result { () throws(TLSSocketError) in
                    try socket.write(UnsafeRawBufferPointer(rebasing: bytes[outgoingStart...]))
                }
            }
            switch try attempt.mapError({ HTTP2Error($0) }).get() {
            case .bytes(let count): wrote(count)
            case .wantRead, .wantWrite:
                isBlocked = true
                return
            case .end: throw HTTP2Error(.broken, message: "the peer closed the connection")
            }
        }
        // More is left than one turn's share.
        isBlocked = true
    }

    private func gather(from session: NGHTTP2Session, _ gathered: (Int) -> Void) {
        while outgoing.count < Transport.pieceBytes {
            // Called before `nextFrame`, since the frame it returns starts at this position.
            gathered(bytesGathered)
            guard let frame = session.nextFrame() else { return }
            outgoing.append(contentsOf: frame)
            bytesGathered += frame.count
        }
    }

    private func wrote(_ count: Int) {
        bytesWritten += count
        outgoingStart += count
        guard outgoingStart == outgoing.count else { return }
        outgoing.removeAll(keepingCapacity: true)
        outgoingStart = 0
    }
}
