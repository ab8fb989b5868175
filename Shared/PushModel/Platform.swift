/// A platform that publishers address: one payload serves all providers of a platform.
package enum Platform: String, CaseIterable, Sendable {
    case ios
    case android
    case web
    case windows
    case http

    /// Part of stored data and of proofs; must not change.
    package var number: UInt8 {
        switch self {
        case .ios: 1
        case .android: 2
        case .web: 3
        case .windows: 4
        case .http: 5
        }
    }

    package init(_ kind: PushProtocol) {
        switch kind {
        case .apns, .liveActivity, .channel: self = .ios
        case .fcm, .huawei: self = .android
        case .webpush: self = .web
        case .wns, .mpns: self = .windows
        case .http: self = .http
        }
    }
}
