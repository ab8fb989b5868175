import Apps
import Datagrams
import PushModel
import ServiceKit
import Synchronization

/// Decides for each datagram whether its sender may do what it asks for, in the order of the cost of each check. A
/// sender has no key, only an address that it can forge.
final class EventGate: Sendable {
    typealias AppsQuery = @Sendable () -> AppSnapshot

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

    private let allows: Set<DatagramSettings.Allowance>
    private let limits: RequestLimits
    private let apps: AppsQuery
    private let senders = Mutex(EventSenders())

    init(allows: Set<DatagramSettings.Allowance>, limits: RequestLimits, apps: @escaping AppsQuery) {
        self.allows = allows
        self.limits = limits
        self.apps = apps
    }

    func admit(_ datagram: borrowing Datagram) throws(Refusal) -> QueuedEvent {
        let sender = try sender(datagram.sender)
        guard let content = datagram.content(), let event = EventDatagram(content) else { throw .malformed }
        try check(event, of: sender.caller)
        return QueuedEvent(datagram: event, sender: sender)
    }

    private func sender(_ address: IPAddress) throws(Refusal) -> EventSender {
        let apps = apps()
        let lookup = senders.withLock { senders in
            senders.lookup(address, in: apps) { peer throws(Refusal) in try EventGate.caller(peer, in: apps) }
        }
        try EventGate.translating { () throws(Gatekeeper.AccessError) in try limits.admit(from: lookup.peer) }
        let sender = try lookup.sender.get()
        try EventGate.translating { () throws(Gatekeeper.AccessError) in
            try limits.admit(sender.caller.payer, to: sender.caller.app, from: lookup.peer)
        }
        return sender
    }

    private static func caller(_ peer: String, in apps: AppSnapshot) throws(Refusal) -> AuthorizedCaller {
        let access = apps.access(from: peer)
        return try translating { () throws(Gatekeeper.AccessError) in
            try AuthorizedCaller(access, for: [.publish]) { access.choose(nil, scope: $0) }
        }
    }

    @discardableResult
    private static func translating<Value>(
        _ body: () throws(Gatekeeper.AccessError) -> Value
    ) throws(Refusal) -> Value {
        do throws(Gatekeeper.AccessError) {
            return try body()
        } catch {
            switch error {
            case .ambiguous: throw .ambiguous
            case .tooManyRequests: throw .rateLimited
            case .unauthenticated, .signedOut, .forbidden, .publicKey, .foreignOrigin, .noSessionToken, .unknownApp:
                throw .source
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
