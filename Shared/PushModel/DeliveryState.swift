/// The state of a device in a task. Stored in four bits in the ledger; raw values must not change.
package enum DeliveryState: UInt8, CaseIterable, Sendable {
    case notTargeted = 0
    case targeted = 1
    /// A sender has leased it.
    case claimed = 2
    /// Returned by the sender, to be retried later.
    case waiting = 3
    case delivered = 4
    case failed = 5
    /// The provider does not know the device, which is kept since this is not proven.
    case invalid = 6
    case invalidRemoved = 7
    case expired = 8
    case suppressed = 9
    case cancelled = 10
    /// Delivery cannot be determined.
    case unknown = 11
    /// Waits for a time of its own, and was not sent to yet.
    case deferred = 12

    /// A terminal state never changes.
    package var isTerminal: Bool {
        switch self {
        case .notTargeted, .targeted, .claimed, .waiting, .deferred: false
        case .delivered, .failed, .invalid, .invalidRemoved, .expired, .suppressed, .cancelled, .unknown: true
        }
    }

    /// The states of a device that has not ended.
    package static let open: [DeliveryState] = [.targeted, .claimed, .waiting, .deferred]

    /// The provider does not know the device; the time of the request decides whether the device is removed.
    package var isInvalid: Bool { self == .invalid || self == .invalidRemoved }

    /// The name in reports and metrics. Spelled out, as reflection would cost more than the rest of a result.
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
        case .deferred: "deferred"
        }
    }

    package init?(name: String) {
        guard let state = DeliveryState.allCases.first(where: { $0.name == name }) else { return nil }
        self = state
    }
}
