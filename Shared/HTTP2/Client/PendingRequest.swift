/// A request that was accepted and has no outcome yet; at the same time its stream while one carries it.
///
/// `@unchecked Sendable`: handed to the reactor's thread under the intake's lock, and from then on that thread's alone.
final class PendingRequest: NGHTTP2Stream, @unchecked Sendable {
    let request: HTTP2Request
    let accepted: Duration
    let deadline: Duration
    private let index: Int
    private let completion: @Sendable (Int, HTTP2Outcome) -> Void
    /// How often it came back unprocessed.
    var resends = 0
    /// Of the bytes its connection has sent, the number before its first; nil while it is not among them.
    var departure: Int?
    var status = 0
    /// The number of the connection that carries it.
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

    /// Ready for another connection.
    func rewind() {
        id = 0
        departure = nil
        status = 0
        forgetIncoming()
    }
}
