import PushModel

extension PushProtocol {
    /// True if one request carries many devices: then more of them are claimed together, and a failed request says no
    /// more about the provider than one failed push.
    var sharesRequests: Bool { self == .huawei }

    /// True if each device names the server that it is pushed through: then failed pushes speak of single servers, and
    /// gateways keep pushes from those that fail (`PushOutcome.heldBack`).
    var hasManyServers: Bool {
        switch self {
        case .apns, .liveActivity, .channel, .fcm, .huawei: false
        case .webpush, .wns, .mpns, .http: true
        }
    }
}
