import ProviderKit
import ServiceKit
import Synchronization
import Topics

/// Admits one app's pushes, and sends each when its server has room. A server that fails, throttles or is slow holds up
/// its own pushes only: the others get their share of the app's pushes in flight back as soon as they are answered.
///
/// `send` returns within the patience and the limit of one request, beside the time that `handOver` takes.
final class OriginGate: Sendable {
    /// Sends pushes to one server, each once.
    typealias Attempt = @Sendable ([Push], PushOrigin) async -> [PushOutcome]

    private struct Waiter {
        let count: Int
        let end: Duration
        let continuation: CheckedContinuation<OriginWindow.Answer, Never>
    }

    private struct State {
        var traffic: OriginTraffic
        var waiters: [PushOrigin: Queue<Waiter>] = [:]
        var isWatched = false
    }

    private typealias Passage = (waiter: Waiter, answer: OriginWindow.Answer)

    private let settings: OriginSettings
    /// Only counts the pushes in flight: no outcome of theirs says anything about all servers.
    private let slots: SendGate
    private let time: any TimeSource
    private let random: any RandomSource
    private let failures: OriginFailures?
    private let onChange: @Sendable (PushOrigin, OriginWindow.Change) -> Void
    private let state: Mutex<State>

    /// `inFlightMaximum` is that of the app.
    init(
        inFlightMaximum: Int, settings: OriginSettings = OriginSettings(), time: any TimeSource,
        random: any RandomSource, failures: OriginFailures? = nil,
        onChange: @escaping @Sendable (PushOrigin, OriginWindow.Change) -> Void = { _, _ in }
    ) {
        self.settings = settings
        slots = SendGate(SendWindow.Settings(ceiling: inFlightMaximum), time: time)
        self.time = time
        self.random = random
        self.failures = failures
        self.onChange = onChange
        state = Mutex(State(traffic: OriginTraffic(settings, inFlightMaximum: inFlightMaximum)))
    }

    var originsRemembered: Int { state.withLock { $0.traffic.count } }

    func admit(_ count: Int, lane: Lane) async -> Admission {
        await slots.admit(count, lane: lane)
    }

    func giveBack(_ count: Int) {
        slots.giveBack(count)
    }

    /// Sends admitted pushes; the outcomes are in their order.
    func send(_ pushes: [Push], attempt: @escaping Attempt) async -> [PushOutcome] {
        var outcomes = pushes.map { _ in PushOutcome.notSent("") }
        await send(pushes, attempt: attempt) { part in
            for (position, outcome) in part.entries { outcomes[position] = outcome }
        }
        return outcomes
    }

    /// Sends admitted pushes, and hands their outcomes over: together if all come within the duration of a part, or if
    /// all go to one server.
    func send(
        _ pushes: [Push], attempt: @escaping Attempt, handOver: (PartialOutcomes) async -> Void
    ) async {
        let (groups, invalid) = OriginGate.grouped(pushes)
        slots.giveBack(invalid.count)
        var part = PartialOutcomes(invalid, outcomes: invalid.map { _ in .unsendable("BadAddress") })
        let sendGroup: @Sendable (PushOrigin, [Int]) async -> PartialOutcomes = { origin, positions in
            let own = positions.map { pushes[$0] }
            return PartialOutcomes(positions, outcomes: await self.send(own, to: origin, attempt: attempt))
        }
        if groups.count == 1, let (origin, positions) = groups.first {
            part.append(await sendGroup(origin, positions))
        } else {
            await runAll(Array(groups), every: settings.partDuration, time: time) {
                await sendGroup($0.key, $0.value)
            } onEnd: {
                part.append($0)
            } onInterval: {
                guard !part.isEmpty else { return }
                await handOver(part)
                part = PartialOutcomes()
            }
        }
        if !part.isEmpty { await handOver(part) }
    }

    /// The positions of the pushes to each server, and of those without a valid address.
    private static func grouped(_ pushes: [Push]) -> (groups: [PushOrigin: [Int]], invalid: [Int]) {
        var groups: [PushOrigin: [Int]] = [:]
        var invalid: [Int] = []
        for position in pushes.indices {
            if let origin = PushOrigin(address: pushes[position].token) {
                groups[origin, default: []].append(position)
            } else {
                invalid.append(position)
            }
        }
        return (groups, invalid)
    }

    private func send(_ pushes: [Push], to origin: PushOrigin, attempt: Attempt) async -> [PushOutcome] {
        let end = time.uptime + settings.patience
        var outcomes: [PushOutcome] = []
        outcomes.reserveCapacity(pushes.count)
        while outcomes.count < pushes.count {
            let rest = pushes.count - outcomes.count
            switch await ask(rest, to: origin, until: end) {
            case .go(let count, let isProbe):
                let part = Array(pushes[outcomes.count..<(outcomes.count + count)])
                let answers = await attempt(part, origin)
                precondition(answers.count == part.count, "each push has one outcome")
                settle(answers, of: origin, isProbe: isProbe)
                outcomes += answers
            case .refused(let refusal):
                slots.giveBack(rest)
                outcomes += repeatElement(refusal.outcome, count: rest)
            case .wait: preconditionFailure("a wait ends with an answer")
            }
        }
        return outcomes
    }

    private func ask(_ count: Int, to origin: PushOrigin, until end: Duration) async -> OriginWindow.Answer {
        await withCheckedContinuation { continuation in
            let now = time.uptime
            let (answer, needsWatch) = state.withLock { state -> (OriginWindow.Answer?, Bool) in
                guard now < end else { return (.refused(.busy(OriginRefusal.retry)), false) }
                let hasWaiters = state.waiters[origin]?.isEmpty == false
                let answer = hasWaiters ? .wait : self.answer(count, to: origin, at: now, state: &state)
                failures?.forget(state.traffic.takeForgotten())
                guard answer == .wait else { return (answer, false) }
                let waiter = Waiter(count: count, end: end, continuation: continuation)
                state.waiters[origin, default: Queue()].append(waiter)
                defer { state.isWatched = true }
                return (nil, !state.isWatched)
            }
            if let answer { continuation.resume(returning: answer) }
            if needsWatch { watch() }
        }
    }

    private func answer(
        _ count: Int, to origin: PushOrigin, at now: Duration, state: inout State
    ) -> OriginWindow.Answer {
        let answer = state.traffic.ask(count, to: origin, at: now)
        if case .refused(.failing(let pause)) = answer { failures?.noteRefusal(of: origin, for: pause) }
        return answer
    }

    private func settle(_ outcomes: [PushOutcome], of origin: PushOrigin, isProbe: Bool) {
        slots.giveBack(outcomes.count)
        let now = time.uptime
        let (change, passages) = state.withLock { state in
            let change = state.traffic.settle(outcomes, of: origin, isProbe: isProbe, at: now, random: random)
            if let change { failures?.note(change, of: origin, hasWorked: state.traffic.hasWorked(origin)) }
            return (change, self.passages(&state, to: origin, at: now))
        }
        if let change { onChange(origin, change) }
        resume(passages)
    }

    private func resume(_ passages: [Passage]) {
        for (waiter, answer) in passages { waiter.continuation.resume(returning: answer) }
    }

    private func passages(_ state: inout State, to origin: PushOrigin, at now: Duration) -> [Passage] {
        var passages: [Passage] = []
        while let waiter = state.waiters[origin]?.first {
            var answer = self.answer(waiter.count, to: origin, at: now, state: &state)
            if answer == .wait, now >= waiter.end { answer = .refused(.busy(OriginRefusal.retry)) }
            guard answer != .wait else { return passages }
            state.waiters[origin]?.popFirst()
            passages.append((waiter, answer))
        }
        state.waiters[origin] = nil
        return passages
    }

    /// Sends those away who have waited for too long: no answer may come for as long as a request may take.
    private func watch() {
        Task { [self] in
            repeat { try? await time.sleep(for: settings.patience) } while refuseOverdue()
        }
    }

    /// Returns true while there are waiters.
    private func refuseOverdue() -> Bool {
        let now = time.uptime
        let (passages, isWatched) = state.withLock { state -> ([Passage], Bool) in
            var passages: [Passage] = []
            for origin in Array(state.waiters.keys) { passages += self.passages(&state, to: origin, at: now) }
            state.isWatched = !state.waiters.isEmpty
            return (passages, state.isWatched)
        }
        resume(passages)
        return isWatched
    }
}
