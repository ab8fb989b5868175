import CNGHTTP2

/// The client's side of one connection in terms of requests: open ones, completed ones, and those returned unprocessed,
/// which can go to another connection.
final class ClientSession: NGHTTP2Session {
    private let configuration: HTTP2Configuration
    private let authority: String
    private(set) var open = OpenStreams<PendingRequest>()
    private(set) var allowance: StreamAllowance
    private(set) var settled: [(request: PendingRequest, outcome: HTTP2Outcome)] = []
    private(set) var unprocessed: [PendingRequest] = []
    /// The peer's first SETTINGS have arrived.
    private(set) var isGreeted = false
    /// Reason why the peer accepts no more requests here.
    private(set) var goodbye: HTTP2Error?
    /// Bytes taken from the session so far; updated by the owner.
    var bytesTaken = 0

    init(_ configuration: HTTP2Configuration, authority: String) {
        self.configuration = configuration
        self.authority = authority
        let needsProof = configuration.provesAuthentication != nil
        allowance = StreamAllowance(ownMaximum: configuration.streamsMaximum, needsProof: needsProof)
        super.init(.client, settings: [.noPush], connectionWindow: 1 << 20)
    }

    /// Number of further requests it accepts now.
    var room: Int { goodbye == nil ? max(0, allowance.limit - open.count) : 0 }

    /// False if this connection cannot send it.
    func send(_ pending: PendingRequest) -> Bool {
        guard submit(pending.request, authority: authority, on: pending) else {
            goodbye = goodbye ?? HTTP2Error(.broken, message: "the connection has used up its streams")
            return false
        }
        open.insert(pending)
        return true
    }

    /// Ends the stream; later frames of the peer for it are ignored.
    func abandon(_ pending: PendingRequest) {
        open.remove(pending)
        attach(nil, to: pending.id)
        reset(pending.id, code: NGHTTP2_CANCEL)
    }

    /// Adds the outcomes since the last call, and returns requests that can go to another connection.
    func takeEvents(into outcomes: inout [(request: PendingRequest, outcome: HTTP2Outcome)]) -> [PendingRequest] {
        // Usually `outcomes` is empty, and the arrays are swapped: copying would count references.
        if outcomes.isEmpty { swap(&outcomes, &settled) } else { outcomes += settled }
        settled.removeAll(keepingCapacity: true)
        defer { unprocessed = [] }
        return unprocessed
    }

    /// The connection has ended: requests whose first byte was not written can go elsewhere.
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
            // The final response replaces an interim one (1xx).
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
            // The status is sufficient; the rest is not worth transferring.
            stream.isComplete = true
            reset(stream.id, code: NGHTTP2_CANCEL)
        }
        stream.body.append(contentsOf: bytes.prefix(max(0, room)))
    }

    override func streamCompleted(_ stream: NGHTTP2Stream) {
        stream.isComplete = true
        // A response may arrive before the request was read, as for one that is too large.
        if !stream.isOutgoingBodySent { reset(stream.id, code: NGHTTP2_CANCEL) }
    }

    override func streamClosed(_ stream: NGHTTP2Stream, code: UInt32) {
        let pending = pending(stream)
        open.remove(pending)
        if pending.isComplete && pending.status >= 200 {
            let response = pending.response
            allowance.noteAnswer(isProof: allowance.needsProof && configuration.provesAuthentication?(response) == true)
            settled.append((pending, .answered(response)))
        } else if code == NGHTTP2_REFUSED_STREAM.rawValue && pending.status == 0 {
            if goodbye == nil { allowance.noteRefusal(whileOpen: open.count) }
            unprocessed.append(pending)
        } else {
            let reason = String(cString: nghttp2_http2_strerror(code))
            settled.append(
                (pending, .unknown(HTTP2Error(.reset, message: "the stream ended without a response: \(reason)"))))
        }
    }

    override func settingsArrived() {
        isGreeted = true
        allowance.peerAllows(peerStreamsMaximum)
    }

    override func goAwayArrived(code: UInt32, detail: String) {
        let reason = String(cString: nghttp2_http2_strerror(code))
        goodbye = HTTP2Error(.refused, message: "the peer sent GOAWAY: \(reason) \(detail)")
    }

    /// Only streams of this type are attached to this session.
    private func pending(_ stream: NGHTTP2Stream) -> PendingRequest {
        unsafeDowncast(stream, to: PendingRequest.self)
    }
}
