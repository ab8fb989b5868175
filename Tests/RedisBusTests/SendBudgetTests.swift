import Bus
import ServiceKit
import TestSupport
import Testing

@testable import RedisBus

@Suite struct SendBudgetTests {
    private let time = ManualTimeSource()

    private func budget() -> SendBudget {
        SendBudget(bytesMaximum: 100, watch: DeadlineWatch(time: time))
    }

    @Test func oneThatIsLargerThanAllPassesAlone() async throws {
        try await budget().take(500, until: .seconds(1))
    }

    @Test func whoWaitsGoesOnWhenThereIsRoom() async throws {
        let budget = budget()
        try await budget.take(80, until: .seconds(1))
        async let waiting: Void = budget.take(50, until: .seconds(60))
        #expect(await time.hasSleepers(1))
        budget.giveBack(80)
        try await waiting
    }

    @Test func patienceEndsTheWait() async throws {
        let budget = budget()
        try await budget.take(80, until: .seconds(1))
        let waiting = Task { try await budget.take(50, until: time.uptime + .seconds(1)) }
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(2))
        let error = await #expect(throws: BusError.self) { try await waiting.value }
        #expect(error?.code == .full)
    }
}
