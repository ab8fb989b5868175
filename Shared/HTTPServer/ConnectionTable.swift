import Synchronization

/// The open connections of a server.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: [UInt64: Connection] = [:]
        var nextID: UInt64 = 0
    }

    private let lock = Mutex(State())

    func newID() -> UInt64 {
        lock.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    func insert(_ connection: Connection) {
        lock.withLock { $0.connections[connection.id] = connection }
    }

    func remove(_ connection: Connection) {
        lock.withLock { $0.connections[connection.id] = nil }
    }

    subscript(_ id: UInt64) -> Connection? {
        lock.withLock { $0.connections[id] }
    }

    /// A copy, so that nobody holds the lock while acting on them.
    var all: [Connection] {
        lock.withLock { Array($0.connections.values) }
    }
}
