/// What a session keeps of one stream, on either side: the body that goes out, the headers and body that come in.
///
/// Touched only by the thread of its session, except while it is handed over.
package class NGHTTP2Stream {
    /// Zero until the session has taken it.
    package final var id: Int32 = 0
    /// Its place in the list of open streams.
    final var position = 0
    final var outgoingBody: [UInt8] = []
    final var outgoingBodySent = 0
    final var headers = HTTP2Headers()
    final var body: [UInt8] = []
    /// More came than is kept.
    final var isTruncated = false
    /// The peer has sent all it wanted to.
    final var isComplete = false

    init() {}

    final var isOutgoingBodySent: Bool { outgoingBodySent == outgoingBody.count }

    /// The next part of the body that goes out.
    func readOutgoingBody(into buffer: UnsafeMutableBufferPointer<UInt8>) -> OutgoingBodyPart {
        .bytes(copyOutgoingBody(into: buffer), isLast: isOutgoingBodySent)
    }

    /// As much of the rest as there is room for; how many bytes that was.
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

/// What a stream has to say when the session can send.
package enum OutgoingBodyPart: Equatable {
    /// So many bytes were copied.
    case bytes(Int, isLast: Bool)
    /// Nothing now; the session must be told to resume.
    case later
    /// The body ends before it is whole, and so does the stream.
    case cut
}

/// The streams a session has open, each knowing its place, so that one is taken out without a search.
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
