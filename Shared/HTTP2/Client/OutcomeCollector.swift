import Synchronization

/// Collects the outcomes of a batch and returns them, in order, when the last one has arrived.
final class OutcomeCollector: Sendable {
    private struct State {
        var outcomes: [HTTP2Outcome?]
        var missing: Int
    }

    private let state: Mutex<State>
    private let completion: @Sendable ([HTTP2Outcome]) -> Void

    init(_ count: Int, completion: @escaping @Sendable ([HTTP2Outcome]) -> Void) {
        state = Mutex(State(outcomes: Array(repeating: nil, count: count), missing: count))
        self.completion = completion
    }

    func set(_ outcome: HTTP2Outcome, at index: Int) {
        let whole = state.withLock { state -> [HTTP2Outcome]? in
            state.outcomes[index] = outcome
            state.missing -= 1
            return state.missing == 0 ? state.outcomes.compactMap { $0 } : nil
        }
        if let whole { completion(whole) }
    }
}
