import PushModel
import ServiceKit
import Store
import Synchronization

/// Servers to which an app's pushes are held back, for those who look at the app: read on demand, of each app at most
/// once in two seconds.
final class FailingServerView: Sendable {
    private struct Reading {
        let servers: [String: Duration]
        let readAt: Duration
    }

    private static let interval = Duration.seconds(2)
    private let store: any FailingServers
    private let time: any TimeSource
    /// Of apps that were looked at within the interval.
    private let readings = Mutex<[AppID: Reading]>([:])

    init(_ store: any FailingServers, time: any TimeSource) {
        self.store = store
        self.time = time
    }

    /// Time left until each is tried again; zero or less while it is tried. None while the store does not answer.
    func servers(of app: AppID) async -> [String: Duration] {
        let now = time.uptime
        let known = readings.withLock { readings in
            readings = readings.filter { now - $0.value.readAt < FailingServerView.interval }
            return readings[app]
        }
        if let known { return known.servers.mapValues { $0 - (now - known.readAt) } }
        let servers = (try? await store.read(app)) ?? [:]
        readings.withLock { $0[app] = Reading(servers: servers, readAt: now) }
        return servers
    }
}
