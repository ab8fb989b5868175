/// An accepted request without an outcome; also its stream while a connection carries it.
///
/// `@unchecked Sendable`: passed to the reactor's thread under the intake's lock, then confined to that thread.
final class PendingRequest: NGHTTP2Stream, @unchecked Sendable {
    let request: HTTP2Request
    let accepted: Duration
    let deadline: Duration
    private let index: Int
    private let completion: @Sendable (Int, HTTP2Outcome) -> Void
    /// Number of times it was returned unprocessed.
    var resends = 0
    /// Bytes its connection sent before its first byte; nil until that byte is among the outgoing ones.
    var departure: Int?
    var status = 0
    /// Number of the connection that carries it.
    var connection = 0

    init(
        _ request: HTTP2Request, index: Int, accepted: Duration, limit: Duration,
        completion: @escaping @Sendable (Int, HTTP2Outcome) -> Void
    ) {
        self.request = request
        self.index = index
        self.accepted = accepted
        deadline = accepted + (request.limit ?? limit)
        self.completion = completion
    }

    var response: HTTP2Response {
        HTTP2Response(
            status: status, headers: headers, body: body, isTruncated: isTruncated, connection: connection)
    }

    func complete(_ outcome: HTTP2Outcome) {
        completion(index, outcome)
    }

    /// Resets it for another connection.
    func rewind() {
        id = 0
        departure = nil
        status = 0
        forgetIncoming()
    }
}
