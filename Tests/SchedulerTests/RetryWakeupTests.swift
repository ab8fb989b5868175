import ServiceKit
import Testing

@testable import scheduler

@Suite struct RetryWakeupTests {
    private let wakeup = RetryWakeup()
    private let noon = Timestamp(milliseconds: 1_000)

    @Test func anyOrderRingsWhileTheIndexIsLookedAt() {
        let call = wakeup.listen()
        wakeup.ring(for: Timestamp(milliseconds: .max))
        #expect(call.hasHappened)
    }

    @Test func onlyAnEarlierOrderEndsAWait() {
        let call = wakeup.listen()
        wakeup.await(noon)
        wakeup.ring(for: noon)
        #expect(!call.hasHappened)
        wakeup.ring(for: noon + .milliseconds(-1))
        #expect(call.hasHappened)
        #expect(!wakeup.listen().hasHappened)
    }

    @Test func aStopEndsEveryWait() {
        let call = wakeup.listen()
        wakeup.await(Timestamp(milliseconds: 0))
        wakeup.ring()
        #expect(call.hasHappened)
    }
}
