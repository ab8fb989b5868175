import PushModel
import ServiceKit
import Store
import TaskModel

/// A state of a message as its webhook gets it, of one device or before a device is known.
struct StatusEntry: Sendable {
    /// The raw value is in the request.
    enum Status: String, Sendable {
        case pending
        case delivered
        case opened
        case failed
        case cancelled

        /// Nil for a state that is not terminal.
        init?(_ state: DeliveryState) {
            switch state {
            case .notTargeted, .targeted, .claimed, .waiting, .deferred: return nil
            case .delivered: self = .delivered
            case .cancelled: self = .cancelled
            case .failed, .invalid, .invalidRemoved, .expired, .suppressed, .unknown: self = .failed
            }
        }
    }

    struct Recipient: Sendable {
        let device: DeviceID
        /// Nil if the registry has the device no more.
        let token: String?
    }

    let status: Status
    let recipient: Recipient?
    let time: Timestamp

    init(_ status: Status, of recipient: Recipient? = nil, at time: Timestamp) {
        self.status = status
        self.recipient = recipient
        self.time = time
    }

    func state(of message: TrackedMessage) -> OutboxState {
        let text = JSONText.object { json in
            if let token = recipient?.token { json.member("device_token", token) }
            json.member("user_id", message.user)
            if let campaign = message.campaign {
                json.member("campaign_id", campaign)
            } else {
                json.member("campaign_id", json: "null")
            }
            json.member("idempotency_key", message.key)
            json.member("delivery_status", status.rawValue)
            json.member("delivery_method", status == .cancelled ? status.rawValue : message.method.rawValue)
            json.member("planned_delivery_method", message.method.rawValue)
            json.member("timestamp", "\(time)")
            json.member("content", json: message.content)
        }
        return OutboxState(name, bytes: Array(text.utf8))
    }

    private var name: String { (recipient.map { "\($0.device)/" } ?? "") + status.rawValue }
}
