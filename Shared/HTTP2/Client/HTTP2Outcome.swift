/// What became of a request: exactly one of three, which a sender of pushes must never confuse.
package enum HTTP2Outcome: Sendable, Equatable {
    case answered(HTTP2Response)
    /// The peer has not processed it: it was never written, or the peer says so. It can be sent again without a repeat.
    case notSent(HTTP2Error)
    /// It was written, and no whole answer came: the peer may have processed it or not.
    case unknown(HTTP2Error)
}
