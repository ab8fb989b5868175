import Apps
import Datagrams
import PushModel
import ServiceKit

/// Decides for each datagram whether its sender may do what it asks for, in the order of the cost of each check. A
/// sender has no key, only an address that it can forge.
struct EventGate: Sendable {
    typealias AccessQuery = @Sendable (_ peer: String) -> Access

    /// What a datagram is refused for; also the label of the metric.
    enum Refusal: String, Error, CaseIterable {
        /// The address is in no range with the scope `publish`.
        case source
        /// Several apps allow the address.
        case ambiguous
        case rateLimited = "rate_limited"
        case malformed
        /// A purge or a broadcast, which the settings or the range do not allow.
        case notAllowed = "not_allowed"
    }

    let allows: Set<DatagramSettings.Allowance>
    let limits: RequestLimits
    let access: AccessQuery

    func admit(_ datagram: borrowing Datagram) throws(Refusal) -> QueuedEvent {
        let caller = try caller("\(datagram.sender)")
        guard let content = datagram.content(), let event = EventDatagram(content) else { throw .malformed }
        try check(event, of: caller)
        return QueuedEvent(datagram: event, caller: caller)
    }

    private func caller(_ peer: String) throws(Refusal) -> AuthorizedCaller {
        do throws(Gatekeeper.AccessError) {
            try limits.admit(from: peer)
            let access = access(peer)
            let caller = try AuthorizedCaller(access, for: [.publish]) { access.choose(nil, scope: $0) }
            try limits.admit(caller.payer, to: caller.app, from: peer)
            return caller
        } catch {
            switch error {
            case .ambiguous: throw .ambiguous
            case .tooManyRequests: throw .rateLimited
            case .unauthenticated, .forbidden, .publicKey, .foreignOrigin, .unknownApp: throw .source
            }
        }
    }

    private func check(_ event: EventDatagram, of caller: AuthorizedCaller) throws(Refusal) {
        switch event.method {
        case .purge: guard allows.contains(.delete) else { throw .notAllowed }
        case .publish:
            let scope = EventTarget(event.event).scope
            guard scope == .publish || allows.contains(.broadcast) && caller.has(scope) else { throw .notAllowed }
        }
    }
}
