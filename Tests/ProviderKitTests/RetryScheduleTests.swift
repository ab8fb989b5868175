import ProviderKit
import ServiceKit
import Testing

@Suite struct RetryScheduleTests {
    private let now = Timestamp(milliseconds: 1_000_000)
    private let far = Timestamp(milliseconds: 1_000_000_000)
    private let random = SeededRandomSource(seed: 1)

    private func wait(_ attempt: UInt8, floor: Duration = .zero) -> Duration? {
        RetrySchedule.standard
            .due(afterAttempt: attempt, RetryAdvice(floor: floor), now: now, deadline: far, random: random)
            .map { $0 - now }
    }

    @Test func theProvidersWordIsAFloor() throws {
        for _ in 0..<100 {
            let waited = try #require(wait(0, floor: .seconds(60)))
            #expect(waited >= .seconds(60))
            #expect(waited <= .seconds(62))
        }
    }

    @Test func waitsGrowAndHaveABound() throws {
        let late = (0..<200).compactMap { _ in wait(20) }
        #expect(late.count == 200)
        #expect(late.allSatisfy { $0 <= .seconds(300) })
        #expect(late.contains { $0 > .seconds(60) })
    }

    @Test func aMistakenFloorParksNoDeviceForEver() throws {
        #expect(try #require(wait(0, floor: .seconds(1_000_000))) <= .seconds(3_602))
    }

    @Test func beyondTheDeadlineThereIsNoRetry() {
        let due = RetrySchedule.standard.due(
            afterAttempt: 0, RetryAdvice(floor: .seconds(60)), now: now, deadline: now + .seconds(30), random: random)
        #expect(due == nil)
        #expect(wait(.max) == nil)
    }
}
