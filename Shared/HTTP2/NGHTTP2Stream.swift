/// What a session keeps of one stream, on either side: the body that goes out, the headers and body that come in.
///
/// Touched only by the thread of its session, except while it is handed over.
class NGHTTP2Stream {
    /// Zero until the session has taken it.
    final var id: Int32 = 0
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

    final var isOutgoingBodySent: Bool { outgoingBodySent == outgoingBody.count }

    /// As much of the rest as there is room for; how many bytes that was.
    final func copyOutgoingBody(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
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
