import ProviderKit
import ServiceKit
import TestSupport
import Testing
import Topics

@testable import WebSender

@Suite(.timeLimit(.minutes(3))) struct OriginGateTests {
    private let time = ManualTimeSource()

    private func gate(inFlight: Int = 100, changes: Monitor<[OriginWindow.Change]> = Monitor([])) -> OriginGate {
        OriginGate(inFlightMaximum: inFlight, time: time, random: SeededRandomSource(seed: 3)) { _, change in
            changes.change { $0.append(change) }
        }
    }

    /// Attempts that a test ends when it wants to.
    private final class Held: Sendable {
        let begun = Monitor<[String]>([])
        private let end = OneTimeEvent()

        func attempt(_ pushes: [Push], at origin: PushOrigin) async -> [PushOutcome] {
            begun.change { $0 += pushes.map(\.token) }
            if origin.host == "slow.example" { await end.wait() }
            return pushes.map { _ in .delivered }
        }

        func hasBegun(_ count: Int) async -> Bool {
            await blocking { [begun] in
                begun.wait(timeout: .hangLimit) { $0.count >= count ? true : nil } ?? false
            }
        }

        func finish() { end.happen() }
    }

    @Test func outcomesAreInTheOrderOfThePushes() async {
        let gate = gate()
        #expect(await gate.admit(5, lane: .bulk) == .admitted(5))
        let addresses = ["https://a.example/1", "nowhere", "https://b.example/2", "https://a.example/3", "ftp://x/"]
        let outcomes = await gate.send(pushes(addresses)) { pushes, origin in
            pushes.map { .answered(ProviderAnswer(.delivered, reason: "\(origin) \($0.token)", status: 201)) }
        }
        #expect(
            outcomes.map { $0.answer?.reason } == [
                "https://a.example https://a.example/1", "BadAddress", "https://b.example https://b.example/2",
                "https://a.example https://a.example/3", "BadAddress",
            ])
        #expect(outcomes[1].verdict == .payloadRejected)
        // All slots are free again.
        #expect(await gate.admit(100, lane: .bulk) == .admitted(100))
    }

    /// Goal: a push that waits for a server holds up no other server's share of the app. Method: of 64 pushes sent
    /// together one goes to a server that does not answer.
    @Test func aSlowServerHoldsOneSlot() async {
        let (gate, held) = (gate(), Held())
        #expect(await gate.admit(64, lane: .bulk) == .admitted(64))
        let addresses = ["https://slow.example/"] + (1..<64).map { "https://push-\($0).example/" }
        let sending = Task { await gate.send(pushes(addresses)) { await held.attempt($0, at: $1) } }
        #expect(await held.hasBegun(64))
        // Waits until the last of the others has given its slot back.
        #expect(await gate.admit(99, lane: .bulk) == .admitted(99))
        held.finish()
        #expect(await sending.value == Array(repeating: .delivered, count: 64))
        #expect(await gate.admit(1, lane: .bulk) == .admitted(1))
    }

    /// Goal: outcomes are handed over without waiting for a slow server. Method: of 64 pushes one is not answered until
    /// all others were handed over; the time for a part passes again and again.
    @Test func outcomesOfTheOthersAreHandedOverEarly() async {
        let (gate, held, parts) = (gate(), Held(), Monitor<[[Int]]>([]))
        #expect(await gate.admit(64, lane: .bulk) == .admitted(64))
        let addresses = ["https://slow.example/"] + (1..<64).map { "https://push-\($0).example/" }
        let sending = Task {
            await gate.send(pushes(addresses), attempt: { await held.attempt($0, at: $1) }) { part in
                parts.change { $0.append(part.entries.map { $0.0 }.sorted()) }
            }
        }
        var handedOver: [Int] = []
        while handedOver.count < 63 {
            #expect(await time.hasSleepers(1))
            time.advance(by: .milliseconds(100))
            // The next part begins when the last one was handed over.
            #expect(await time.hasSleepers(1))
            handedOver = parts.withLock { $0 }.flatMap { $0 }
        }
        #expect(handedOver.sorted() == Array(1..<64))
        held.finish()
        await sending.value
        #expect(parts.withLock { $0.last } == [0])
    }

    /// Goal: pushes wait for room at their server, and are put off when it takes too long. Method: a new server has
    /// room for one push, and answers after all others have given up.
    @Test func pushesWaitForASlowServerForAWhile() async {
        let (gate, held) = (gate(), Held())
        #expect(await gate.admit(3, lane: .bulk) == .admitted(3))
        let first = Task {
            await gate.send(pushes(["https://slow.example/1"])) { await held.attempt($0, at: $1) }
        }
        #expect(await held.hasBegun(1))
        let others = Task {
            await gate.send(pushes(["https://slow.example/2", "https://slow.example/3"])) {
                await held.attempt($0, at: $1)
            }
        }
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(1))
        #expect(await others.value.map(\.pause) == [OriginRefusal.retry, OriginRefusal.retry])
        held.finish()
        #expect(await first.value == [.delivered])
        #expect(held.begun.withLock { $0 } == ["https://slow.example/1"])
        #expect(await gate.admit(100, lane: .bulk) == .admitted(100))
    }

    /// Waiting pushes go as soon as an answer makes room.
    @Test func anAnswerLetsTheWaitingGo() async {
        let (gate, held) = (gate(), Held())
        #expect(await gate.admit(7, lane: .bulk) == .admitted(7))
        let first = Task {
            await gate.send(pushes(["https://slow.example/1"])) { await held.attempt($0, at: $1) }
        }
        #expect(await held.hasBegun(1))
        let others = (0..<6).map { number in
            Task { await gate.send(pushes(["https://slow.example/\(number)"])) { await held.attempt($0, at: $1) } }
        }
        #expect(await time.hasSleepers(1))
        held.finish()
        #expect(await first.value == [.delivered])
        for other in others { #expect(await other.value == [.delivered]) }
    }

    /// Goal: a server that is down takes part of its pushes' attempts only. Method: ten batches for it, one after the
    /// other, then one after its pause.
    @Test func aDeadServerIsTriedByFewPushes() async {
        let changes = Monitor<[OriginWindow.Change]>([])
        let gate = gate(changes: changes)
        let tried = Monitor(0)
        func send(_ count: Int, outcome: PushOutcome) async -> [PushOutcome] {
            #expect(await gate.admit(count, lane: .bulk) == .admitted(count))
            return await gate.send(pushes(Array(repeating: "https://dead.example/x", count: count))) { pushes, _ in
                tried.change { $0 += pushes.count }
                return pushes.map { _ in outcome }
            }
        }
        for _ in 0..<10 {
            let outcomes = await send(10, outcome: .notSent("connection refused"))
            #expect(outcomes.allSatisfy { $0.isNotSent || $0.pause != nil })
        }
        #expect(tried.withLock { $0 } == 3)
        time.advance(by: .seconds(5))
        let outcomes = await send(10, outcome: .delivered)
        #expect(outcomes == Array(repeating: .delivered, count: 10))
        #expect(tried.withLock { $0 } == 13)
        #expect(changes.withLock { $0 } == [.failing, .recovered])
    }

    @Test func pushesThatAreNotSentAreGivenBack() async {
        let gate = gate(inFlight: 4)
        #expect(await gate.admit(4, lane: .bulk) == .admitted(4))
        gate.giveBack(3)
        #expect(await gate.admit(3, lane: .bulk) == .admitted(3))
    }
}
