package import PushModel

/// A kind of secret stored beside the app files. A process reads only the kinds it needs and never opens other files,
/// so that a secret is mounted only into the services that use it.
package enum AppSecret: Sendable, CaseIterable {
    /// The secret that publishers' keys are hashed with.
    case pepper
    case apns
    case fcm
    case huawei
    case webpush
    case wns
    case mpns
    case http
    /// Secrets that authorize and sign reports and states of messages.
    case report
    /// Secrets under which publishers sign users.
    case users

    /// The secret of a provider's credentials.
    package init(of kind: PushProtocol) {
        switch kind {
        case .apns, .liveActivity, .channel: self = .apns
        case .fcm: self = .fcm
        case .huawei: self = .huawei
        case .webpush: self = .webpush
        case .wns: self = .wns
        case .mpns: self = .mpns
        case .http: self = .http
        }
    }
}
