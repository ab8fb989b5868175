import Glibc

/// One non-blocking TCP connection, with TLS if a context is given.
///
/// Confined to one thread, which waits for readiness and calls first `advance()` until it is done, then `read` and
/// `write`. Nothing here blocks, except the resolver in `init`. The descriptor closes with the last reference.
package final class TLSSocket {
    package enum Progress: Equatable, Sendable {
        case done
        case wantRead
        case wantWrite
    }

    package enum Transfer: Equatable, Sendable {
        case bytes(Int)
        case wantRead
        case wantWrite
        /// The peer has ended the stream.
        case end
    }

    package enum Phase: Equatable, Sendable {
        case connecting
        case handshaking
        case open
    }

    /// The descriptor to poll. It may change while connecting, if one address fails and the next is tried.
    package private(set) var descriptor: Int32 = -1
    package private(set) var phase = Phase.connecting
    private let peer: String
    private var untried: ArraySlice<SocketAddress>
    private var session: TLSSession?

    /// Resolves the host and starts to connect. `serverName` is the certificate's expected name; default: the host.
    package convenience init(
        host: String, port: UInt16, tls: TLSContext? = nil, serverName: String? = nil
    ) throws(TLSSocketError) {
        let addresses = try SocketAddress.resolve(host: host, port: port)
        try self.init(peer: "\(host):\(port)", at: addresses, tls: tls, serverName: serverName ?? host)
    }

    /// Starts to connect to the first address that accepts; `peer` names the other side in messages.
    package init(
        peer: String, at addresses: [SocketAddress], tls: TLSContext?, serverName: String
    ) throws(TLSSocketError) {
        self.peer = peer
        untried = addresses[...]
        session = try tls.map { context throws(TLSSocketError) in try TLSSession(context, serverName: serverName) }
        try connectNext(after: 0)
    }

    /// Takes over a connection accepted by a listener; the descriptor is closed even if this throws.
    init(accepted descriptor: Int32, tls: TLSContext?) throws(TLSSocketError) {
        peer = "the client"
        untried = []
        self.descriptor = descriptor
        session = try tls.map { context throws(TLSSocketError) in try TLSSession(accepting: context) }
        try session?.attach(descriptor)
        phase = session == nil ? .open : .handshaking
        setOption(Int32(IPPROTO_TCP), option: TCP_NODELAY)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Continues connecting and the handshake as far as possible without waiting.
    package func advance() throws(TLSSocketError) -> Progress {
        if phase == .connecting {
            guard try finishConnecting() else { return .wantWrite }
            phase = session == nil ? .open : .handshaking
            // The session gets the descriptor only now, since a failed address would have changed it.
            try session?.attach(descriptor)
        }
        if phase == .handshaking, let session {
            let progress = try session.handshake(with: peer)
            guard progress == .done else { return progress }
            phase = .open
        }
        return .done
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSSocketError) -> Transfer {
        if let session { return try session.read(into: buffer) }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wantRead
            default: throw broken(errno)
            }
        }
    }

    /// `hasMore` lets the kernel wait for more data, to send both in one packet.
    package func write(
        _ bytes: UnsafeRawBufferPointer, hasMore: Bool = false
    ) throws(TLSSocketError) -> Transfer {
        if let session { return try session.write(bytes) }
        let flags = Int32(MSG_NOSIGNAL) | (hasMore ? Int32(MSG_MORE) : 0)
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wantWrite
            default: throw broken(errno)
            }
        }
    }

    /// Reads and discards remaining data of the peer: the bytes of the socket, below TLS.
    package func discard(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .wantRead : .end
    }

    /// Signals the end of writing to the peer, as far as possible without waiting.
    package func endWriting() {
        session?.sayGoodbye()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    package var isSecure: Bool { session != nil }

    /// The negotiated protocol (ALPN), after the handshake.
    package var applicationProtocol: String? { session?.applicationProtocol }

    /// The common name of the peer's certificate, if it has sent one.
    package var peerName: String? { session?.peerName }

    private func connectNext(after failure: Int32) throws(TLSSocketError) {
        var failure = failure
        while let address = untried.popFirst() {
            if descriptor >= 0 { close(descriptor) }
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            descriptor = socket(address.family, kind, 0)
            guard descriptor >= 0 else {
                failure = errno
                continue
            }
            setOption(Int32(IPPROTO_TCP), option: TCP_NODELAY)
            setOption(SOL_SOCKET, option: SO_KEEPALIVE)
            failure = address.connect(descriptor)
            if failure == 0 || failure == EINPROGRESS { return }
        }
        throw TLSSocketError(.unreachable, message: "cannot connect to \(peer): \(String(cString: strerror(failure)))")
    }

    private func setOption(_ level: Int32, option: Int32) {
        var on: Int32 = 1
        setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    private func finishConnecting() throws(TLSSocketError) -> Bool {
        var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&event, 1, 0) > 0 else { return false }
        var failure: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
        if failure == 0 { return true }
        try connectNext(after: failure)
        return false
    }

    private func broken(_ number: Int32) -> TLSSocketError {
        TLSSocketError(.broken, message: "the connection to \(peer) broke: \(String(cString: strerror(number)))")
    }
}
