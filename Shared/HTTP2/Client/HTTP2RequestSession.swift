import CNGHTTP2

/// Receives requests while they arrive. Called inside `receive` and `nextFrame` of the session.
package protocol HTTP2RequestReceiver: AnyObject {
    /// A client has started to send a header.
    func headerBegan()
    func headerArrived(_ stream: HTTP2RequestStream)
    func bodyArrived(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2RequestStream)
    func bodyEnded(on stream: HTTP2RequestStream)
    /// The whole response has been passed on, while the client still sends its request.
    func answerEnded(on stream: HTTP2RequestStream)
    /// Nothing more is received or sent on the stream, whether it was answered or not.
    func streamClosed(_ stream: HTTP2RequestStream)
}

/// One request of a client, as far as it has arrived, and the body of its response.
package final class HTTP2RequestStream: NGHTTP2Stream {
    /// The pseudo-header fields, as sent. The library has checked that each occurs once.
    package fileprivate(set) var method: [UInt8] = []
    package fileprivate(set) var path: [UInt8] = []
    package fileprivate(set) var authority: [UInt8] = []
    fileprivate var isHeaderComplete = false
    fileprivate var readAnswer: ((UnsafeMutableBufferPointer<UInt8>) -> OutgoingBodyPart)?

    /// Number of parts of the response's body taken for sending.
    package private(set) var partsTaken = 0
    /// The response's body had no data at the last read.
    package fileprivate(set) var waitsForBody = false

    package var fields: HTTP2Headers { headers }
    /// True if the header exceeds the limit; the excess is dropped.
    package var isHeaderTooLarge: Bool { isTruncated }
    /// True if the client has sent the whole request.
    package var isWhole: Bool { isComplete }

    override func readOutgoingBody(into buffer: UnsafeMutableBufferPointer<UInt8>) -> OutgoingBodyPart {
        partsTaken += 1
        guard let readAnswer else { return super.readOutgoingBody(into: buffer) }
        let part = readAnswer(buffer)
        waitsForBody = part == .later
        return part
    }
}

/// The server's side of one connection, for requests that are admitted or rejected before they are complete.
package final class HTTP2RequestSession: NGHTTP2Session {
    package enum Body {
        case none
        case bytes([UInt8])
        /// Called for the next part when the client has room for it.
        case parts((UnsafeMutableBufferPointer<UInt8>) -> OutgoingBodyPart)
    }

    private static let usualHeaderBytes = 640
    private let headerBytesMaximum: Int
    private weak var receiver: (any HTTP2RequestReceiver)?
    private var open = OpenStreams<HTTP2RequestStream>()
    /// The client's SETTINGS have arrived.
    package private(set) var isGreeted = false
    private var hasSaidGoodbye = false

    package init(
        for receiver: any HTTP2RequestReceiver, streamsMaximum: Int, streamWindow: Int, headerBytesMaximum: Int
    ) {
        self.receiver = receiver
        self.headerBytesMaximum = headerBytesMaximum
        let settings: [Setting] = [
            .streamsMaximum(streamsMaximum), .streamWindow(streamWindow), .headerBytesMaximum(headerBytesMaximum),
        ]
        super.init(.server, settings: settings, connectionWindow: 1 << 20)
    }

    package func answer(_ stream: HTTP2RequestStream, status: Int, headers: HTTP2Headers, body: Body) {
        switch body {
        case .none: break
        case .bytes(let bytes): stream.outgoingBody = bytes
        case .parts(let read): stream.readAnswer = read
        }
        // A response sent before the end of its request has a body, maybe empty, since the end of a body is reported.
        var hasBody = !stream.isComplete
        if case .none = body {} else { hasBody = true }
        submit(status: String(status), headers: headers, hasBody: hasBody, on: stream)
    }

    /// Sends 100 Continue for the body that the client has announced.
    package func invite(_ stream: HTTP2RequestStream) {
        submitContinue(on: stream)
    }

    /// The body in `parts` has data again, or has ended.
    package func resume(_ stream: HTTP2RequestStream) {
        stream.waitsForBody = false
        resumeBody(of: stream)
    }

    /// The request was not processed, so the client may resend it.
    package func refuse(_ stream: HTTP2RequestStream) {
        reset(stream.id, code: NGHTTP2_REFUSED_STREAM)
    }

    /// Tells the client to stop sending a request that is already answered.
    package func endRequest(_ stream: HTTP2RequestStream) {
        reset(stream.id, code: NGHTTP2_NO_ERROR)
    }

    package func sayGoodbye() {
        guard !hasSaidGoodbye else { return }
        hasSaidGoodbye = true
        sayGoodbye(lastStream: lastPeerStream)
    }

    override func streamBegan(_ id: Int32) {
        // Between the goodbye and its transmission the library would still accept streams. The GOAWAY tells the client
        // that they were not processed, and it resends them elsewhere.
        guard !hasSaidGoodbye else { return }
        let stream = HTTP2RequestStream()
        stream.id = id
        stream.headers.reserveCapacity(HTTP2RequestSession.usualHeaderBytes)
        open.insert(stream)
        attach(stream, to: id)
        receiver?.headerBegan()
    }

    override func headerArrived(
        _ stream: NGHTTP2Stream, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {
        let stream = request(stream)
        // Fields of a trailer are ignored.
        guard !stream.isHeaderComplete else { return }
        let size =
            stream.headers.bytes.count + stream.method.count + stream.path.count + stream.authority.count + name.count
            + value.count
        guard size <= headerBytesMaximum else { return stream.isTruncated = true }
        if name.first == UInt8(ascii: ":") {
            if name.spells(":method") { stream.method = Array(value) }
            if name.spells(":path") { stream.path = Array(value) }
            if name.spells(":authority") { stream.authority = Array(value) }
        } else if !stream.headers.append(name, value, indexing: .table) {
            stream.isTruncated = true
        }
    }

    override func headerCompleted(_ stream: NGHTTP2Stream, isLast: Bool) {
        let stream = request(stream)
        guard !stream.isHeaderComplete else { return }
        stream.isHeaderComplete = true
        stream.isComplete = isLast
        receiver?.headerArrived(stream)
    }

    override func dataArrived(_ stream: NGHTTP2Stream, bytes: UnsafeBufferPointer<UInt8>) {
        receiver?.bodyArrived(UnsafeRawBufferPointer(bytes), on: request(stream))
    }

    override func streamCompleted(_ stream: NGHTTP2Stream) {
        let stream = request(stream)
        guard !stream.isComplete else { return }
        stream.isComplete = true
        receiver?.bodyEnded(on: stream)
    }

    override func outgoingBodyEnded(_ stream: NGHTTP2Stream) {
        if !stream.isComplete { receiver?.answerEnded(on: request(stream)) }
    }

    override func streamClosed(_ stream: NGHTTP2Stream, code: UInt32) {
        let stream = request(stream)
        open.remove(stream)
        receiver?.streamClosed(stream)
    }

    override func settingsArrived() {
        isGreeted = true
    }

    /// Only streams of this type are attached to this session.
    private func request(_ stream: NGHTTP2Stream) -> HTTP2RequestStream {
        unsafeDowncast(stream, to: HTTP2RequestStream.self)
    }
}
