import Apps
import ServiceKit

/// An authorized sender of datagrams. Shared by its events, since a caller has a copy of its whole app.
final class EventSender: Sendable {
    let caller: AuthorizedCaller

    init(_ caller: AuthorizedCaller) {
        self.caller = caller
    }
}

/// The senders that were looked up in one snapshot of the apps. A sender chooses its address, so their number is
/// bounded.
struct EventSenders {
    struct Lookup: Sendable {
        let peer: String
        let sender: Result<EventSender, EventGate.Refusal>
    }

    static let addressesMaximum = 1_024

    private var snapshot: AppSnapshot?
    private var known: [IPAddress: Lookup] = [:]

    var count: Int { known.count }

    mutating func lookup(
        _ address: IPAddress, in apps: AppSnapshot,
        caller: (_ peer: String) throws(EventGate.Refusal) -> AuthorizedCaller
    ) -> Lookup {
        if snapshot === apps, let lookup = known[address] { return lookup }
        if snapshot !== apps || known.count >= EventSenders.addressesMaximum {
            snapshot = apps
            known.removeAll(keepingCapacity: true)
        }
        let peer = "\(address)"
        let sender = Result { () throws(EventGate.Refusal) in EventSender(try caller(peer)) }
        let lookup = Lookup(peer: peer, sender: sender)
        known[address] = lookup
        return lookup
    }
}
