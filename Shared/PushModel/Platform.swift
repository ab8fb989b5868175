/// A platform that publishers address: one payload serves all providers of a platform.
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
