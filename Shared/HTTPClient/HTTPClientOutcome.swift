/// The outcome of a request as known to the client. It alone decides whether the request may be repeated.
package enum HTTPClientOutcome: Sendable, Equatable {
    /// The request reached no server.
    case notSent(HTTPClientError)
    /// A complete response arrived, with any status.
    case answered(HTTPClientResponse)
    /// At least part of it was sent, and no complete response arrived: the server may have processed it.
    case unknown(HTTPClientError)
}
