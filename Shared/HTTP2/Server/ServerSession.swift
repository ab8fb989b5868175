import CNGHTTP2

/// A stream on the server's side.
final class ServerStream: NGHTTP2Stream {
    var method = ""
    var path = ""
    var isClosed = false
}

/// The server's side of one connection: collects requests until they are complete.
final class ServerSession: NGHTTP2Session {
    /// About ten fields, including a bearer token.
    private static let usualHeaderBytes = 640
    private let configuration: HTTP2ServerConfiguration
    private var open = OpenStreams<ServerStream>()
    private var complete: [ServerStream] = []
    private var taken = 0
    /// After this many streams the client gets a GOAWAY.
    var streamsBeforeGoodbye: Int?
    /// Streams above it are not processed.
    private var lastStream: Int32?
    private(set) var isGreeted = false

    init(_ configuration: HTTP2ServerConfiguration, settings: [Setting]) {
        self.configuration = configuration
        super.init(
            .server, settings: settings, connectionWindow: 4 << 20, resetsMaximum: configuration.resetsMaximum)
    }

    func takeComplete() -> [ServerStream] {
        defer { complete.removeAll(keepingCapacity: true) }
        return complete
    }

    func sayGoodbye() {
        guard lastStream == nil else { return }
        lastStream = lastPeerStream
        sayGoodbye(lastStream: lastPeerStream)
    }

    func refuse(_ stream: ServerStream) {
        reset(stream.id, code: NGHTTP2_REFUSED_STREAM)
    }

    func fail(_ stream: ServerStream) {
        reset(stream.id, code: NGHTTP2_INTERNAL_ERROR)
    }

    override func streamBegan(_ id: Int32) {
        // Between the goodbye and its transmission the library would still accept new streams.
        guard lastStream == nil else { return }
        let stream = ServerStream()
        stream.id = id
        stream.headers.reserveCapacity(ServerSession.usualHeaderBytes)
        open.insert(stream)
        attach(stream, to: id)
        taken += 1
        if taken == streamsBeforeGoodbye {
            lastStream = id
            sayGoodbye(lastStream: id)
        }
    }

    override func headerArrived(
        _ stream: NGHTTP2Stream, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {
        let stream = unsafeDowncast(stream, to: ServerStream.self)
        if name.first == UInt8(ascii: ":") {
            if name.spells(":path") { stream.path = String(decoding: value, as: UTF8.self) }
            if name.spells(":method") { stream.method = String(decoding: value, as: UTF8.self) }
            return
        }
        let size = stream.headers.bytes.count + name.count + value.count
        let isKept = size <= configuration.requestHeadersMaximum && stream.headers.append(name, value, indexing: .table)
        if !isKept { stream.isTruncated = true }
    }

    override func dataArrived(_ stream: NGHTTP2Stream, bytes: UnsafeBufferPointer<UInt8>) {
        let room = configuration.requestBodyMaximum - stream.body.count
        if bytes.count > room { stream.isTruncated = true }
        stream.body.append(contentsOf: bytes.prefix(max(0, room)))
    }

    override func streamCompleted(_ stream: NGHTTP2Stream) {
        complete.append(unsafeDowncast(stream, to: ServerStream.self))
    }

    override func streamClosed(_ stream: NGHTTP2Stream, code: UInt32) {
        let stream = unsafeDowncast(stream, to: ServerStream.self)
        stream.isClosed = true
        open.remove(stream)
    }

    override func settingsArrived() {
        isGreeted = true
    }
}
