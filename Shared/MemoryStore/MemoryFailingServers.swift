package import PushModel
package import ServiceKit
import Store
import Synchronization

/// Failing servers in memory.
package final class MemoryFailingServers: FailingServers {
    private let time: any TimeSource
    private let ends = Mutex<[AppID: [String: Timestamp]]>([:])

    package init(time: any TimeSource) {
        self.time = time
    }

    package func read(_ app: AppID) -> [String: Duration] {
        let now = time.now
        return ends.withLock { ends in
            MemoryFailingServers.current(ends[app], at: now).mapValues { $0 - now }
        }
    }

    package func note(_ servers: [String: Duration], of app: AppID) {
        let now = time.now
        ends.withLock { ends in
            var known = MemoryFailingServers.current(ends[app], at: now)
            for (server, left) in servers.sorted(by: { $0.key < $1.key }) {
                guard known[server] != nil || known.count < FailingServerBounds.serversMaximum else { continue }
                known[server] = max(known[server] ?? now + left, now + left)
            }
            ends[app] = known
        }
    }

    package func remove(_ servers: [String], of app: AppID) {
        ends.withLock { ends in
            for server in servers { ends[app]?[server] = nil }
        }
    }

    private static func current(_ ends: [String: Timestamp]?, at now: Timestamp) -> [String: Timestamp] {
        (ends ?? [:]).filter { now < $0.value + FailingServerBounds.memory }
    }
}
