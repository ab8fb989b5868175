import ServiceKit
import Store
import Synchronization

/// Wakes the sender of states for shards in which something became due, so that it does not wait for its next read.
final class StateWakeup: Sendable {
    private struct State {
        var shards: Set<OutboxShard> = []
        var call = OneTimeEvent()
    }

    private let state = Mutex(State())

    /// To be called before looking for work: a wakeup in between then ends the wait.
    func listen() -> OneTimeEvent {
        state.withLock { $0.call }
    }

    /// The shards since the last call.
    func takeShards() -> Set<OutboxShard> {
        state.withLock { state in
            defer { state.shards = [] }
            return state.shards
        }
    }

    /// Without a shard only the wait ends.
    func wake(for shard: OutboxShard? = nil) {
        let call = state.withLock { state in
            if let shard { state.shards.insert(shard) }
            defer { state.call = OneTimeEvent() }
            return state.call
        }
        call.happen()
    }
}
