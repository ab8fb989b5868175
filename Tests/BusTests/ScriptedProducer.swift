import Bus
import ServiceKit

/// A producer that records what is sent, after as many failures as a test requests.
final class ScriptedProducer: BusProducer {
    private struct State {
        var sent: [OutgoingMessage] = []
        var failures: [BusError]
    }

    private let state: Monitor<State>

    init(failures: [BusError] = []) {
        state = Monitor(State(failures: failures))
    }

    var sent: [OutgoingMessage] { state.withLock { $0.sent } }

    func send(_ messages: [OutgoingMessage]) async throws(BusError) -> [MessagePosition] {
        let failure = state.change { state -> BusError? in
            guard state.failures.isEmpty else { return state.failures.removeFirst() }
            state.sent += messages
            return nil
        }
        if let failure { throw failure }
        return messages.map { _ in MessagePosition(partition: 0, offset: nil) }
    }

    func close() async {}
}
