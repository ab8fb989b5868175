package import ServiceKit

/// Outcomes of requests with an idempotency key, so that a repeated request is not processed again. It stores answers
/// as bytes without interpreting them.
///
/// A lease is a hint, not a lock: a holder whose lease expired may still be running when the next one begins. Both must
/// produce the same result, so the next one gets the times at which the first began.
package protocol IdempotencyStore: Sendable {
    /// Decides if the request is to be processed, and if not, why. A holder may call again. `now` is the caller's time.
    func begin(
        _ request: IdempotentRequest, at now: Timestamp, for lease: Duration
    ) async throws(StoreError) -> IdempotencyVerdict
    /// Stores the answer, unless one exists. A request whose task is to be sent later is remembered for longer than the
    /// retention: until this time.
    func finish(_ request: IdempotentRequest, answer: [UInt8], until end: Timestamp?) async throws(StoreError)
    /// The request failed, or its outcome is unknown: the next request with the key begins immediately. No effect on a
    /// key that another request holds.
    func release(_ request: IdempotentRequest) async throws(StoreError)
    /// The request was refused and had no effect: another request may use the key. The same as `release` if an earlier
    /// holder began the request, since it may have had an effect then.
    func forget(_ request: IdempotentRequest) async throws(StoreError)
}

/// One occurrence of a request.
package struct IdempotentRequest: Hashable, Sendable {
    /// The caller's key, including the caller: no two callers share one.
    package let key: [UInt8]
    /// Fingerprint of everything that distinguishes this request from others.
    package let fingerprint: [UInt8]
    package let holder: UInt64

    package init(key: [UInt8], fingerprint: [UInt8], holder: UInt64) {
        self.key = key
        self.fingerprint = fingerprint
        self.holder = holder
    }
}

/// When the first request with a key began.
package struct RequestStart: Hashable, Sendable {
    /// By the store's clock, which all callers share: leases and the retention follow it.
    package let began: Timestamp
    /// By the clock of its caller, like the tasks without a key.
    package let accepted: Timestamp

    package init(began: Timestamp, accepted: Timestamp) {
        self.began = began
        self.accepted = accepted
    }
}

package enum IdempotencyVerdict: Hashable, Sendable {
    /// To be processed as the first request with this key.
    case begun(RequestStart)
    /// Another holder is processing it.
    case inProgress
    /// The key belongs to a different request.
    case otherRequest
    case answered([UInt8])
}

package enum IdempotencyBounds {
    /// Counted from the first request with a key, or from the time for which its task is scheduled.
    package static let retention = Duration.seconds(86_400)
}
