import HTTP2
import PushModel
import ServiceKit
import Synchronization

/// On which connection Apple last failed a push, so that the next attempt goes over another one: a server of Apple's that
/// is in trouble would fail it again. Bounded; a push that is forgotten takes any connection.
final class FailedConnections: Sendable {
    private static let pushesMaximum = 4_096
    private let connections = Mutex<[TaskID: Int]>([:])

    /// The connection to avoid; each push asks once for each attempt.
    func take(_ push: TaskID) -> Int? {
        connections.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: push) }
    }

    func note(_ push: TaskID, on connection: Int) {
        connections.withLock { connections in
            if connections.count >= FailedConnections.pushesMaximum { connections.removeAll(keepingCapacity: true) }
            connections[push] = connection
        }
    }
}
