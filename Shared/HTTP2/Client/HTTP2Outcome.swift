/// The outcome of a request: one of three, which a sender of pushes must never confuse.
package enum HTTP2Outcome: Sendable, Equatable {
    case answered(HTTP2Response)
    /// The peer has not processed it: it was never written, or the peer reports so. Resending cannot duplicate it.
    case notSent(HTTP2Error)
    /// It was written, and no complete response arrived: the peer may have processed it or not.
    case unknown(HTTP2Error)
}
