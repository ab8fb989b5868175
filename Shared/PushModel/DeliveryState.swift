/// Where a device stands in a task. Four bits in the ledger; the raw value stands there and must not change.
package enum DeliveryState: UInt8, CaseIterable, Sendable {
    case notTargeted = 0
    case targeted = 1
    /// A sender holds it under a lease.
    case claimed = 2
    /// Handed back, to be tried again later.
    case waiting = 3
    case delivered = 4
    case failed = 5
    /// The provider knows no such device, and the device is kept for want of proof.
    case invalid = 6
    case invalidRemoved = 7
    case expired = 8
    case suppressed = 9
    case cancelled = 10
    /// Whether it was delivered cannot be known.
    case unknown = 11

    /// Such a state never changes again.
    package var isTerminal: Bool { rawValue >= DeliveryState.delivered.rawValue }

    /// The provider does not know the device: when it was asked decides whether the device is removed.
    package var isInvalid: Bool { self == .invalid || self == .invalidRemoved }

    /// What it is called in reports and metrics. Spelled out, as reflection would cost more than the rest of a result.
    package var name: String {
        switch self {
        case .notTargeted: "not_targeted"
        case .targeted: "targeted"
        case .claimed: "claimed"
        case .waiting: "waiting"
        case .delivered: "delivered"
        case .failed: "failed"
        case .invalid: "invalid"
        case .invalidRemoved: "invalid_removed"
        case .expired: "expired"
        case .suppressed: "suppressed"
        case .cancelled: "cancelled"
        case .unknown: "unknown"
        }
    }

    package init?(name: String) {
        guard let state = DeliveryState.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }
}
