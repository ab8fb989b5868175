/// A push service, and how it is used. The raw value is part of stored records and must not change.
package enum PushProtocol: UInt8, CaseIterable, Sendable {
    case apns = 1
    case fcm = 2
    case huawei = 3
    case webpush = 4
    case wns = 5
    case mpns = 6
    case http = 7
    /// Apple's, with a token of a Live Activity: one that starts activities on a device, or that of an activity.
    case liveActivity = 8
    /// Apple's, with a channel that the phones of a Live Activity are subscribed to.
    case channel = 9

    /// Those that devices are registered with.
    package static let ofDevices = allCases.filter { $0.carrier == $0 }

    /// The protocol whose credentials, connections and sender it uses.
    package var carrier: PushProtocol {
        switch self {
        case .liveActivity, .channel: .apns
        case .apns, .fcm, .huawei, .webpush, .wns, .mpns, .http: self
        }
    }

    /// The name in requests and answers; `gcm` and `c2dm`, Google's older names, mean `fcm`.
    package init?(name: String) {
        switch name {
        case "apns": self = .apns
        case "fcm", "gcm", "c2dm": self = .fcm
        case "huawei": self = .huawei
        case "webpush": self = .webpush
        case "wns": self = .wns
        case "mpns": self = .mpns
        case "http": self = .http
        case "liveactivity": self = .liveActivity
        case "channel": self = .channel
        default: return nil
        }
    }

    /// Spelled out, as reflection would cost more than the rest of a result.
    package var name: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .huawei: "huawei"
        case .webpush: "webpush"
        case .wns: "wns"
        case .mpns: "mpns"
        case .http: "http"
        case .liveActivity: "liveactivity"
        case .channel: "channel"
        }
    }
}
