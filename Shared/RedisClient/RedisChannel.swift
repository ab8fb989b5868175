import ServiceKit
import Synchronization

/// State shared by a connection's thread and the submitters of commands: the outbox, the pipe that wakes the thread,
/// and the connection's health.
final class RedisChannel: Sendable {
    private struct State {
        var outbox: RedisOutbox
        var isReady = false
        /// Why the connection is not ready.
        var obstacle: RedisError?
        var isAborted = false
    }

    /// Work for the thread.
    struct Order {
        var commands: [RedisPending] = []
        var overdue: [RedisPending] = []
        var earliestDeadline: Duration?
        /// Closing, and the outbox is empty.
        var isDrained = false
        var isAborted = false
    }

    /// Polled by the thread together with the socket.
    let wakePipe = WakePipe()
    private let state: Mutex<State>

    init(costMaximum: Int) {
        state = Mutex(State(outbox: RedisOutbox(costMaximum: costMaximum)))
    }

    func submit(_ commands: [RedisPending]) -> RedisOutbox.Admission {
        let admission = state.withLock { $0.outbox.admit(commands) }
        if admission == .acceptedWaking { wakePipe.wake() }
        return admission
    }

    /// Refuses new commands; the thread ends once the others are answered, or immediately if aborted.
    func close(aborting: Bool) {
        let wakes = state.withLock { state in
            if aborting { state.isAborted = true }
            return state.outbox.close()
        }
        if wakes || aborting { wakePipe.wake() }
    }

    /// Called by the thread before it sleeps. Takes commands only if the connection can send them.
    func take(ifReady isReady: Bool, now: Duration) -> Order {
        state.withLock { state in
            var order = Order()
            order.overdue = state.outbox.takeOverdue(now: now)
            if isReady { order.commands = state.outbox.takeAll() }
            order.earliestDeadline = state.outbox.earliestDeadline
            order.isDrained = state.outbox.isClosing && state.outbox.isEmpty
            order.isAborted = state.isAborted
            state.outbox.sleep()
            return order
        }
    }

    func takeAll() -> [RedisPending] {
        state.withLock { $0.outbox.takeAll() }
    }

    func putBack(_ commands: [RedisPending]) {
        state.withLock { $0.outbox.putBack(commands) }
    }

    func settle(cost: Int) {
        state.withLock { $0.outbox.settle(cost: cost) }
    }

    func report(ready: Bool, obstacle: RedisError?) {
        state.withLock { state in
            state.isReady = ready
            state.obstacle = obstacle
        }
    }

    var isReady: Bool { state.withLock { $0.isReady } }

    var health: (isReady: Bool, obstacle: RedisError?) {
        state.withLock { ($0.isReady, $0.obstacle) }
    }
}
