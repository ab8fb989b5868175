import ServiceKit
import Testing

@testable import scheduler

@Suite struct RetryBellTests {
    private let bell = RetryWakeup()
    private let noon = Timestamp(milliseconds: 1_000)

    @Test func anyOrderRingsWhileTheIndexIsLookedAt() {
        let call = bell.listen()
        bell.ring(for: Timestamp(milliseconds: .max))
        #expect(call.hasHappened)
    }

    @Test func onlyAnEarlierOrderEndsAWait() {
        let call = bell.listen()
        bell.await(noon)
        bell.ring(for: noon)
        #expect(!call.hasHappened)
        bell.ring(for: noon + .milliseconds(-1))
        #expect(call.hasHappened)
        #expect(!bell.listen().hasHappened)
    }

    @Test func aStopEndsEveryWait() {
        let call = bell.listen()
        bell.await(Timestamp(milliseconds: 0))
        bell.ring()
        #expect(call.hasHappened)
    }
}
