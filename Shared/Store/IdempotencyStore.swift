package import ServiceKit

/// What became of requests that carry an idempotency key, so that one that is sent again is not carried out again. It
/// keeps answers as bytes and does not look into them.
///
/// A holder is a hint and no lock: one whose lease ran out may still be at work when the next one begins. What they do
/// must come to the same, which is why the next one is told when the first began.
package protocol IdempotencyStore: Sendable {
    /// Whether the request is to be carried out, and if not, why. A holder may ask again.
    func begin(_ request: IdempotentRequest, for lease: Duration) async throws(StoreError) -> IdempotencyVerdict
    /// Keeps the answer, unless there is one already.
    func finish(_ request: IdempotentRequest, answer: [UInt8]) async throws(StoreError)
    /// It came to nothing, or nobody knows: the next request of the key begins at once. Does nothing for a key that
    /// another holds.
    func release(_ request: IdempotentRequest) async throws(StoreError)
}

/// One arrival of a request.
package struct IdempotentRequest: Hashable, Sendable {
    /// What the caller gave, with the caller in it: no two callers share one.
    package let key: [UInt8]
    /// Of everything that makes it this request and no other.
    package let fingerprint: [UInt8]
    package let holder: UInt64

    package init(key: [UInt8], fingerprint: [UInt8], holder: UInt64) {
        self.key = key
        self.fingerprint = fingerprint
        self.holder = holder
    }
}

package enum IdempotencyVerdict: Hashable, Sendable {
    /// To be carried out, as of the time at which the first with this key began.
    case begun(Timestamp)
    /// Another is at it.
    case inProgress
    /// The key belongs to a request that asked for something else.
    case otherRequest
    case answered([UInt8])
}

package enum IdempotencyBounds {
    /// Counted from the first request with a key.
    package static let retention = Duration.seconds(86_400)
}
