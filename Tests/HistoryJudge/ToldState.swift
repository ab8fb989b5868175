import PushModel

/// A state of a message that a webhook was told.
package struct ToldState: Sendable, Hashable {
    /// The number of the device; nil for a state without a token.
    package let device: Int?
    /// As in the request.
    package let status: String

    package init(device: Int?, status: String) {
        self.device = device
        self.status = status
    }

    /// What is told of a device that ended so.
    static func status(of state: DeliveryState) -> String? {
        switch state {
        case .notTargeted, .targeted, .claimed, .waiting, .deferred: nil
        case .delivered: "delivered"
        case .cancelled: "cancelled"
        case .failed, .invalid, .invalidRemoved, .expired, .suppressed, .unknown: "failed"
        }
    }
}
