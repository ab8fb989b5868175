package import PushModel
package import ServiceKit

/// A change in how many pushes of an app may be in flight to its provider.
package enum SendTurn: Sendable, Equatable {
    /// The provider throttles.
    case slowed
    /// The sender's maximum again, after a reduction.
    case recovered
}

extension Log {
    package func note(_ turn: SendTurn, app: AppID, kind: PushProtocol) {
        switch turn {
        case .slowed:
            warning("send window reduced: the provider throttles", [.app: app.text, .server: kind.name])
        case .recovered: info("send window fully restored", [.app: app.text, .server: kind.name])
        }
    }
}
