/// What became of a request, as far as this side can know. Whether it may be repeated hangs on nothing else.
package enum HTTPClientOutcome: Sendable, Equatable {
    /// No server has seen it.
    case notSent(HTTPClientError)
    /// A complete answer came, whatever it says.
    case answered(HTTPClientResponse)
    /// It was sent, at least in part, and no complete answer came: the server may have carried it out.
    case unknown(HTTPClientError)
}
