/// What a server does with a request: an answer, or one of the faults a provider can have.
package enum HTTP2Reaction: Sendable {
    case answer(HTTP2Answer)
    /// Says that the request was not processed (REFUSED_STREAM).
    case refuse
    /// Ends the stream with an internal error.
    case fail
    /// Never answers; the connection goes on.
    case stall
    /// Closes the connection at once, with everything on it.
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
