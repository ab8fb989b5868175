package import PushModel
package import ServiceKit

/// A change in how much of an app goes to its provider at once.
package enum SendTurn: Sendable, Equatable {
    /// The provider says that it is too much.
    case slowed
    /// As much as the sender allows, after less for a while.
    case recovered
}

extension Log {
    package func note(_ turn: SendTurn, app: AppID, kind: PushProtocol) {
        switch turn {
        case .slowed:
            warning("a provider takes less; fewer pushes go out at once", [.app: app.text, .server: kind.name])
        case .recovered: info("pushes go out at full speed again", [.app: app.text, .server: kind.name])
        }
    }
}
