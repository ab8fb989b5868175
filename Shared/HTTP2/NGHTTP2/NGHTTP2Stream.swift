/// A session's state of one stream, on either side: the outgoing body, and the incoming headers and body.
///
/// Confined to the thread of its session, except while it is passed to it.
package class NGHTTP2Stream {
    /// Zero until the session has accepted it.
    package final var id: Int32 = 0
    /// Its index in the list of open streams.
    final var position = 0
    final var outgoingBody: [UInt8] = []
    final var outgoingBodySent = 0
    final var headers = HTTP2Headers()
    final var body: [UInt8] = []
    /// More data arrived than is kept.
    final var isTruncated = false
    /// The peer has sent everything.
    final var isComplete = false

    init() {}

    final var isOutgoingBodySent: Bool { outgoingBodySent == outgoingBody.count }

    /// The next part of the outgoing body.
    func readOutgoingBody(into buffer: UnsafeMutableBufferPointer<UInt8>) -> OutgoingBodyPart {
        .bytes(copyOutgoingBody(into: buffer), isLast: isOutgoingBodySent)
    }

    /// Copies as much of the rest as fits and returns the number of bytes.
    private func copyOutgoingBody(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(outgoingBody.count - outgoingBodySent, buffer.count)
        outgoingBody.withUnsafeBufferPointer { body in
            guard let from = body.baseAddress, let to = buffer.baseAddress else { return }
            to.update(from: from + outgoingBodySent, count: count)
        }
        outgoingBodySent += count
        return count
    }

    final func forgetIncoming() {
        headers = HTTP2Headers()
        body = []
        isTruncated = false
        isComplete = false
    }
}

/// The data of a stream when the session can send.
package enum OutgoingBodyPart: Equatable {
    /// This many bytes were copied.
    case bytes(Int, isLast: Bool)
    /// No data now; the session must be resumed later.
    case later
    /// The body ends before it is complete, and so does the stream.
    case cut
}

/// The open streams of a session; each stores its index, so that removal needs no search.
struct OpenStreams<Stream: NGHTTP2Stream> {
    private(set) var all: [Stream] = []

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    mutating func insert(_ stream: Stream) {
        stream.position = all.count
        all.append(stream)
    }

    mutating func remove(_ stream: Stream) {
        let last = all.removeLast()
        guard last !== stream else { return }
        last.position = stream.position
        all[stream.position] = last
    }

    mutating func takeAll() -> [Stream] {
        defer { all = [] }
        return all
    }
}
