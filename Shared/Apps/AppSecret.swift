/// A kind of secret that stands beside the app files. A process reads the kinds it needs and never opens a file of another
/// kind, so that only the services with a use for a secret need to be given it.
package enum AppSecret: Sendable, CaseIterable {
    /// The secret under which the keys of publishers are hashed.
    case pepper
    case apns
    case fcm
    case huawei
    /// What reports are authorized and signed with.
    case report
}
