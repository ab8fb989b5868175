package import ServiceKit
import Synchronization
package import Topics

/// Admits what the window allows, the fast lane first, and keeps the rest waiting for answers.
///
/// Every wait ends: either answers come back within the limit of a request, or the provider counts as silent.
package final class SendGate: Sendable {
    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Admission, Never>
    }

    private struct State {
        var window: SendWindow
        var waiters: [Lane: Queue<Waiter>] = [:]
        var isWatched = false

        var hasWaiters: Bool { waiters.values.contains { !$0.isEmpty } }
    }

    private typealias Passage = (waiter: Waiter, admission: Admission)

    private let patience: Duration
    private let time: any TimeSource
    private let onTurn: @Sendable (SendTurn) -> Void
    private let state: Mutex<State>

    package init(
        _ settings: SendWindow.Settings = SendWindow.Settings(), time: any TimeSource,
        onTurn: @escaping @Sendable (SendTurn) -> Void = { _ in }
    ) {
        patience = settings.patience
        self.time = time
        self.onTurn = onTurn
        state = Mutex(State(window: SendWindow(settings)))
    }

    package var inFlightMaximum: Int { state.withLock { $0.window.inFlightMaximum } }

    package func admit(_ count: Int, lane: Lane) async -> Admission {
        await withCheckedContinuation { continuation in
            let now = time.uptime
            let (admission, needsWatch) = state.withLock { state -> (Admission?, Bool) in
                // Earlier waiters go first, except for the fast lane.
                let mustWait = lane == .bulk ? state.hasWaiters : state.waiters[.fast]?.isEmpty == false
                if !mustWait, let admission = Admission(state.window.ask(count, at: now)) { return (admission, false) }
                state.waiters[lane, default: Queue()].append(Waiter(count: count, continuation: continuation))
                defer { state.isWatched = true }
                return (nil, !state.isWatched)
            }
            if let admission { continuation.resume(returning: admission) }
            if needsWatch { watch() }
        }
    }

    /// Notes that admitted pushes are on their way to the provider, which then owes an answer.
    package func begin(_ count: Int) {
        let now = time.uptime
        state.withLock { $0.window.begin(count, at: now) }
    }

    package func giveBack(_ count: Int) {
        guard count > 0 else { return }
        change { $0.giveBack(count) }
    }

    /// `pause` is the wait that the provider asks of the whole app.
    package func settle(_ outcomes: [PushOutcome], pause: Duration = .zero) {
        let now = time.uptime
        change { $0.settle(outcomes, pause: pause, at: now) }
    }

    private func change(_ body: (inout SendWindow) -> Void) {
        let now = time.uptime
        let (turn, passages) = state.withLock { state in
            let wasNarrowed = state.window.isNarrowed
            body(&state.window)
            let isNarrowed = state.window.isNarrowed
            let turn: SendTurn? = isNarrowed == wasNarrowed ? nil : isNarrowed ? .slowed : .recovered
            return (turn, SendGate.passages(&state, at: now))
        }
        if let turn { onTurn(turn) }
        for (waiter, admission) in passages { waiter.continuation.resume(returning: admission) }
    }

    private static func passages(_ state: inout State, at now: Duration) -> [Passage] {
        var passages: [Passage] = []
        for lane in [Lane.fast, .bulk] {
            while let waiter = state.waiters[lane]?.first {
                guard let admission = Admission(state.window.ask(waiter.count, at: now)) else { return passages }
                state.waiters[lane]?.popFirst()
                passages.append((waiter, admission))
            }
        }
        return passages
    }

    /// Retries periodically for the waiters: with a silent provider no other event would resume them.
    private func watch() {
        Task { [self] in
            repeat {
                try? await time.sleep(for: patience)
                change { _ in }
            } while stillWatched()
        }
    }

    private func stillWatched() -> Bool {
        state.withLock { state in
            state.isWatched = state.hasWaiters
            return state.isWatched
        }
    }
}

extension Admission {
    fileprivate init?(_ answer: SendWindow.Answer) {
        switch answer {
        case .go(let count): self = .admitted(count)
        case .pause(let pause): self = .pausedFor(pause)
        case .silent: self = .unavailable(reason: "the provider does not answer")
        case .wait: return nil
        }
    }
}
