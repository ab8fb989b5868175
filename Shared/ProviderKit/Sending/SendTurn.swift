package import PushModel
package import ServiceKit

/// A change in how many pushes of an app may be in flight to its provider.
package enum SendTurn: Sendable, Equatable {
    /// The provider throttles.
    case slowed
    /// The sender's maximum again, after a reduction.
    case recovered
}

extension SendGate {
    /// The gate of one app; it logs each turn.
    package convenience init(
        _ settings: SendWindow.Settings, of app: AppID, kind: PushProtocol, time: any TimeSource, log: Log
    ) {
        self.init(settings, time: time) { log.note($0, app: app, kind: kind) }
    }
}

extension Log {
    fileprivate func note(_ turn: SendTurn, app: AppID, kind: PushProtocol) {
        switch turn {
        case .slowed:
            warning("send window reduced: the provider throttles", [.app: app.text, .server: kind.name])
        case .recovered: info("send window fully restored", [.app: app.text, .server: kind.name])
        }
    }
}
