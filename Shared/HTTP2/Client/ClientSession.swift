import CNGHTTP2

/// The client's side of one connection in terms of requests: which are open, which have their outcome, which came back
/// unprocessed and can go to another connection.
final class ClientSession: NGHTTP2Session {
    private let configuration: HTTP2Configuration
    private let authority: String
    private(set) var open = OpenStreams<PendingRequest>()
    private(set) var allowance: StreamAllowance
    private(set) var settled: [(request: PendingRequest, outcome: HTTP2Outcome)] = []
    private(set) var unprocessed: [PendingRequest] = []
    /// The peer's first SETTINGS have come.
    private(set) var isGreeted = false
    /// Why the peer takes no more requests here.
    private(set) var goodbye: HTTP2Error?
    /// Bytes that have been taken from the session so far; the owner keeps it up to date.
    var bytesTaken = 0

    init(_ configuration: HTTP2Configuration, authority: String) {
        self.configuration = configuration
        self.authority = authority
        let needsProof = configuration.provesAuthentication != nil
        allowance = StreamAllowance(ownMaximum: configuration.streamsMaximum, needsProof: needsProof)
        super.init(.client, settings: [.noPush], connectionWindow: 1 << 20)
    }

    /// How many more requests can be given to it now.
    var room: Int { goodbye == nil ? max(0, allowance.limit - open.count) : 0 }

    /// False when it cannot go out here.
    func send(_ pending: PendingRequest) -> Bool {
        guard submit(pending.request, authority: authority, on: pending) else {
            goodbye = goodbye ?? HTTP2Error(.broken, message: "the connection has used up its streams")
            return false
        }
        open.insert(pending)
        return true
    }

    /// Ends the stream; what the peer still says about it is ignored.
    func abandon(_ pending: PendingRequest) {
        open.remove(pending)
        attach(nil, to: pending.id)
        reset(pending.id, code: NGHTTP2_CANCEL)
    }

    /// Adds what was settled since the last call, and answers what can go to another connection.
    func takeEvents(into outcomes: inout [(request: PendingRequest, outcome: HTTP2Outcome)]) -> [PendingRequest] {
        // Nearly always there is nothing yet, and then the lists change places: copying would count references.
        if outcomes.isEmpty { swap(&outcomes, &settled) } else { outcomes += settled }
        settled.removeAll(keepingCapacity: true)
        defer { unprocessed = [] }
        return unprocessed
    }

    /// The connection is gone: those whose first byte was not written can go elsewhere.
    func breakUp(bytesWritten: Int, _ error: HTTP2Error) {
        for pending in open.takeAll() {
            if let departure = pending.departure, departure < bytesWritten {
                settled.append((pending, .unknown(error)))
            } else {
                pending.departure = nil
                unprocessed.append(pending)
            }
        }
    }

    override func streamIsLeaving(_ stream: NGHTTP2Stream) {
        pending(stream).departure = bytesTaken
    }

    override func headerArrived(
        _ stream: NGHTTP2Stream, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
    ) {
        let pending = pending(stream)
        if name.first == UInt8(ascii: ":") {
            // An interim answer (1xx) is replaced by the final one.
            pending.forgetIncoming()
            // The library has checked that a status is three digits.
            pending.status = value.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
            return
        }
        let size = pending.headers.bytes.count + name.count + value.count
        let isKept =
            size <= configuration.responseHeadersMaximum && pending.headers.append(name, value, indexing: .table)
        if !isKept { pending.isTruncated = true }
    }

    override func dataArrived(_ stream: NGHTTP2Stream, bytes: UnsafeBufferPointer<UInt8>) {
        let room = configuration.responseBodyMaximum - stream.body.count
        if bytes.count > room && !stream.isTruncated {
            stream.isTruncated = true
            // The status is what matters; the rest is not worth its transport.
            stream.isComplete = true
            reset(stream.id, code: NGHTTP2_CANCEL)
        }
        stream.body.append(contentsOf: bytes.prefix(max(0, room)))
    }

    override func streamCompleted(_ stream: NGHTTP2Stream) {
        stream.isComplete = true
        // An answer may come before the request has been read, as with one that is too large.
        if !stream.isOutgoingBodySent { reset(stream.id, code: NGHTTP2_CANCEL) }
    }

    override func streamClosed(_ stream: NGHTTP2Stream, code: UInt32) {
        let pending = pending(stream)
        open.remove(pending)
        if pending.isComplete && pending.status >= 200 {
            let response = pending.response
            allowance.answered(isProof: allowance.needsProof && configuration.provesAuthentication?(response) == true)
            settled.append((pending, .answered(response)))
        } else if code == NGHTTP2_REFUSED_STREAM.rawValue && pending.status == 0 {
            if goodbye == nil { allowance.refused(whileOpen: open.count) }
            unprocessed.append(pending)
        } else {
            let reason = String(cString: nghttp2_http2_strerror(code))
            settled.append(
                (pending, .unknown(HTTP2Error(.reset, message: "the stream was ended without an answer: \(reason)"))))
        }
    }

    override func settingsArrived() {
        isGreeted = true
        allowance.peerAllows(peerStreamsMaximum)
    }

    override func goAwayArrived(code: UInt32, detail: String) {
        let reason = String(cString: nghttp2_http2_strerror(code))
        goodbye = HTTP2Error(.refused, message: "the peer said goodbye: \(reason) \(detail)")
    }

    /// Only such streams are ever attached to this session.
    private func pending(_ stream: NGHTTP2Stream) -> PendingRequest {
        unsafeDowncast(stream, to: PendingRequest.self)
    }
}
