import HTTP2
import PushModel
import ServiceKit
import Synchronization

/// The connection on which Apple last failed each push, so that the next attempt uses another one: a failing server of
/// Apple's would fail it again. Bounded; a push that was evicted takes any connection.
final class FailedConnections: Sendable {
    private static let pushesMaximum = 4_096
    private let connections = Mutex<[TaskID: Int]>([:])

    /// The connection to avoid; called once per push and attempt.
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
