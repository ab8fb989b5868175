package import PushModel

/// What a publisher addresses as one: it writes one payload for all providers of a platform.
package enum Platform: String, CaseIterable, Sendable {
    case ios
    case android
    case web
    case windows
    case http

    package init(_ kind: PushProtocol) {
        switch kind {
        case .apns: self = .ios
        case .fcm, .huawei: self = .android
        case .webpush: self = .web
        case .wns, .mpns: self = .windows
        case .http: self = .http
        }
    }
}
