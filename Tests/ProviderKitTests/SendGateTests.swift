import ProviderKit
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(3))) struct SendGateTests {
    private let time = ManualTimeSource()

    /// Goal: the fast lane does not queue behind a broadcast. Method: bulk fills the window and waits; then a fast-lane
    /// request arrives and gets the permits that are returned.
    @Test func theFastLaneGoesFirst() async throws {
        let gate = SendGate(SendWindow.Settings(ceiling: 64), time: time)
        #expect(await gate.admit(64, lane: .bulk) == .admitted(64))
        let order = Monitor<[Lane]>([])
        let bulk = Task {
            let admission = await gate.admit(64, lane: .bulk)
            order.change { $0.append(.bulk) }
            return admission
        }
        // The only sleeper is the timer of the waiting requests.
        #expect(await time.hasSleepers(1))
        let fast = Task {
            let admission = await gate.admit(1, lane: .fast)
            order.change { $0.append(.fast) }
            return admission
        }
        gate.giveBack(1)
        #expect(await fast.value == .admitted(1))
        #expect(order.withLock { $0 } == [.fast])
        gate.giveBack(63)
        #expect(await bulk.value == .admitted(63))
    }

    @Test func slowingDownAndRecoveringAreLoggedOnce() async {
        let turns = Monitor<[SendTurn]>([])
        let gate = SendGate(SendWindow.Settings(ceiling: 4), time: time) { turn in turns.change { $0.append(turn) } }
        let delivered = ProviderAnswer(.delivered, reason: "", status: 200)
        for verdict in [ProviderAnswer.Verdict.throttled(.app, .soon), .delivered, .delivered, .delivered] {
            #expect(await gate.admit(2, lane: .bulk) == .admitted(2))
            gate.begin(2)
            gate.settle([.answered(delivered), .answered(ProviderAnswer(verdict, reason: "", status: 200))])
        }
        #expect(turns.withLock { $0 } == [.slowed, .recovered])
    }

    @Test func whoWaitsForASilentProviderIsSentAway() async throws {
        let gate = SendGate(
            SendWindow.Settings(ceiling: 10, patience: .seconds(3)), time: time)
        #expect(await gate.admit(10, lane: .bulk) == .admitted(10))
        gate.begin(10)
        let waiting = (0..<100).map { _ in Task { await gate.admit(10, lane: .bulk) } }
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(3))
        for task in waiting { #expect(await task.value == .unavailable(reason: "the provider does not answer")) }
    }
}
