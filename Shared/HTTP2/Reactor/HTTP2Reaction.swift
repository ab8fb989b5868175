/// A server's reaction to a request: a response, or one of the faults a provider can have.
package enum HTTP2Reaction: Sendable {
    case answer(HTTP2Answer)
    /// Reports that the request was not processed (REFUSED_STREAM).
    case refuse
    /// Ends the stream with an internal error.
    case fail
    /// Never answers; the connection stays open.
    case stall
    /// Closes the connection immediately, with all its streams.
    case drop
}

package struct HTTP2Answer: Sendable {
    package var status: Int
    package var headers: HTTP2Headers
    package var body: [UInt8]
    package var delay: Duration

    package init(
        _ status: Int = 200, headers: HTTP2Headers = HTTP2Headers(), body: [UInt8] = [], delay: Duration = .zero
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.delay = delay
    }
}
