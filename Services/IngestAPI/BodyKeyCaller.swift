import HTTPServer
import Synchronization

/// The caller of a request that may have its key in the body. Used for one request.
final class BodyKeyCaller: Sendable {
    typealias Authorization = @Sendable (_ key: String?) throws(Gatekeeper.AccessError) -> UnnamedCaller

    /// Nil for a request with a key in its head.
    private let unkeyed: (reservation: UnkeyedBodies.Reservation, authorize: Authorization)?
    /// Nil until the key is read.
    private let caller: Mutex<UnnamedCaller?>

    /// The key is in the head.
    init(_ caller: UnnamedCaller) {
        unkeyed = nil
        self.caller = Mutex(caller)
    }

    /// The head has no key. The reservation ends with the response, or with a request that is never complete.
    init(reservation: UnkeyedBodies.Reservation, authorize: @escaping Authorization) {
        unkeyed = (reservation, authorize)
        caller = Mutex(nil)
    }

    /// Call once, before anything else of the body is examined. Without a key in the body its address decides. A key in
    /// the head takes precedence.
    func authorize(key: String?) throws(Gatekeeper.AccessError) -> UnnamedCaller {
        if let known = caller.withLock({ $0 }) { return known }
        guard let unkeyed else { throw .unauthenticated }
        let known = try unkeyed.authorize(key)
        caller.withLock { $0 = known }
        return known
    }

    /// Nil for the route's limit.
    var bodyBytesMaximum: Int? { unkeyed == nil ? nil : UnkeyedBodies.bodyBytesMaximum }
    var account: String? { caller.withLock { $0?.account } }
    /// The state of the limit that the request was counted for; empty before its app is known.
    var headers: [HTTPField] { caller.withLock { $0 }?.headers ?? [] }

    func release() { unkeyed?.reservation.release() }
}
