import HTTP2
import ServiceKit
import Synchronization

/// One provider: judges requests on its server's thread, and is read and changed by the admin API's tasks.
final class ProviderPort: Sendable {
    private struct State {
        var rules: any ProviderRules
        var faults = FaultBook()
        var book: DeliveryBook
    }

    private let state: Mutex<State>
    private let time: any TimeSource
    private let random: any RandomSource

    init(
        _ rules: any ProviderRules, limits: DeliveryBook.Limits, time: any TimeSource = SystemTimeSource(),
        random: any RandomSource = SystemRandomSource()
    ) {
        state = Mutex(State(rules: rules, book: DeliveryBook(limits)))
        self.time = time
        self.random = random
    }

    func reaction(to request: HTTP2ServerRequest) -> HTTP2Reaction {
        let now = time.now
        return state.withLock { state in
            state.book.countRequest(on: request.connection)
            let draw = state.faults.draw(for: state.rules.endpoint(of: request), random)
            if let fault = draw.fault, !fault.isDelivered {
                return delayed(commit(fault.0, request: request, now: now, state: &state), delay: draw.delay)
            }
            let verdict = state.rules.judge(request, now: now)
            record(verdict, request: request, now: now, in: &state.book)
            // Only the answer to an accepted push, or to a change, can be lost.
            if let fault = draw.fault, verdict.isProcessed {
                return delayed(commit(fault.0, request: request, now: now, state: &state), delay: draw.delay)
            }
            switch verdict.reaction {
            case .answer(let answer): return delayed(.answer(answer), delay: draw.delay)
            case .fault(let fault): return commit(fault, request: request, now: now, state: &state)
            }
        }
    }

    func addFault(_ rule: FaultRule) -> Int? {
        state.withLock { $0.faults.add(rule) }
    }

    func removeFaults() {
        state.withLock { $0.faults.removeAll() }
    }

    var faults: [Int: FaultRule] { state.withLock { $0.faults.rules } }

    func changeCredentials(_ change: CredentialChange) {
        state.withLock { $0.rules.changeCredentials(change) }
    }

    var statistics: String { state.withLock { $0.book.json } }

    func resetStatistics() {
        state.withLock { $0.book.reset() }
    }

    func deliveries(to device: String) -> Int {
        state.withLock { $0.book.devices[device] }
    }

    /// Newest first.
    func lastPushes(_ count: Int) -> [KeptPush] {
        state.withLock { $0.book.kept.last(count) }
    }

    private func record(
        _ verdict: Verdict, request: HTTP2ServerRequest, now: Timestamp, in book: inout DeliveryBook
    ) {
        if let refusal = verdict.refusal { book.countRefusal(refusal.reason, times: refusal.count) }
        guard !verdict.deliveries.isEmpty else { return }
        for delivery in verdict.deliveries { book.count(delivery) }
        book.keep(
            KeptPush(
                path: request.path, headers: request.headers, body: verdict.shown ?? request.body,
                connection: request.connection, received: now))
    }

    private func commit(
        _ fault: Fault, request: HTTP2ServerRequest, now: Timestamp, state: inout State
    ) -> HTTP2Reaction {
        state.book.countFault(fault.name)
        switch fault {
        case .answer(let error): return .answer(state.rules.answer(error, to: request, now: now))
        case .refuse: return .refuse
        case .fail: return .fail
        case .stall: return .stall
        case .drop: return .drop
        }
    }

    private func delayed(_ reaction: HTTP2Reaction, delay: Duration) -> HTTP2Reaction {
        guard delay > .zero, case .answer(var answer) = reaction else { return reaction }
        answer.delay += delay
        return .answer(answer)
    }
}
