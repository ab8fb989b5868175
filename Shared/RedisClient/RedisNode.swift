import ServiceKit
import Synchronization

/// The connections to one server.
final class RedisNode: Sendable {
    let address: RedisConfiguration.Address
    private let connections: [RedisConnection]
    private let turn = Atomic<Int>(0)

    init(_ context: RedisConnectionContext, connections count: Int) {
        address = context.address
        connections = (0..<max(1, count)).map { _ in RedisConnection(context) }
    }

    /// Submits commands together to one connection. If that is full or not ready, the next one is tried.
    private func submit(_ commands: [RedisPending]) -> RedisOutbox.Admission {
        guard connections.count > 1 else { return connections[0].channel.submit(commands) }
        let first = turn.add(1, ordering: .relaxed).newValue & Int.max
        var admission = RedisOutbox.Admission.full
        // The second round tries every connection: one that was not ready in the first may be now.
        for mustBeReady in [true, false] {
            for offset in connections.indices {
                let channel = connections[(first &+ offset) % connections.count].channel
                guard !mustBeReady || channel.isReady else { continue }
                admission = channel.submit(commands)
                if admission != .full { return admission }
            }
        }
        return admission
    }

    /// Like `submit`; refused commands complete with the reason.
    func submitOrRefuse(_ commands: [RedisPending]) {
        let error: RedisError
        switch submit(commands) {
        case .accepted, .acceptedWaking: return
        case .full: error = RedisError(.full, message: "too many unanswered commands to \(address)")
        case .closed: error = RedisError(.closed, message: "the client is closed")
        }
        commands.forEach { $0.completion(.failure(error)) }
    }

    /// From now on every command fails as closed.
    func refuseCommands() {
        connections.forEach { $0.channel.close(aborting: true) }
    }

    /// Nil if some connection is ready; otherwise why none is.
    var obstacle: RedisError? {
        var reason: RedisError?
        for connection in connections {
            let health = connection.channel.health
            if health.isReady { return nil }
            reason = health.obstacle ?? reason
        }
        return reason ?? RedisError(.notSent, message: "\(address) is not connected yet")
    }

    func close(within limit: Duration, time: any TimeSource) async {
        await withTaskGroup(of: Void.self) { group in
            for connection in connections {
                group.addTask { await connection.close(within: limit, time: time) }
            }
        }
    }
}
