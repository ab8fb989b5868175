import Synchronization

/// Collects the replies of a pipeline and passes them on once the last has arrived.
final class RedisCollector: Sendable {
    private struct State {
        var results: [Result<RedisValue, RedisError>]
        var missing: Int
    }

    private let state: Mutex<State>
    private let whenComplete: @Sendable ([Result<RedisValue, RedisError>]) -> Void

    init(count: Int, whenComplete: @escaping @Sendable ([Result<RedisValue, RedisError>]) -> Void) {
        state = Mutex(State(results: Array(repeating: .success(.null), count: count), missing: count))
        self.whenComplete = whenComplete
    }

    func set(_ result: Result<RedisValue, RedisError>, at index: Int) {
        let complete = state.withLock { state -> [Result<RedisValue, RedisError>]? in
            state.results[index] = result
            state.missing -= 1
            return state.missing == 0 ? state.results : nil
        }
        if let complete { whenComplete(complete) }
    }
}
