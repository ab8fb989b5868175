import ServiceKit
import Testing

@testable import Scheduler

@Suite struct EntryWakeupTests {
    private let wakeup = EntryWakeup()
    private let noon = Timestamp(milliseconds: 1_000)

    @Test func anyOrderRingsWhileTheIndexIsLookedAt() {
        let call = wakeup.listen()
        wakeup.wake(for: Timestamp(milliseconds: .max))
        #expect(call.hasHappened)
    }

    @Test func onlyAnEarlierOrderEndsAWait() {
        let call = wakeup.listen()
        wakeup.await(noon)
        wakeup.wake(for: noon)
        #expect(!call.hasHappened)
        wakeup.wake(for: noon + .milliseconds(-1))
        #expect(call.hasHappened)
        #expect(!wakeup.listen().hasHappened)
    }

    @Test func aStopEndsEveryWait() {
        let call = wakeup.listen()
        wakeup.await(Timestamp(milliseconds: 0))
        wakeup.wake()
        #expect(call.hasHappened)
    }
}
