import ServiceKit
import TestSupport
import Testing

@Suite struct OneTimeEventTests {
    private let event = OneTimeEvent()

    @Test func whatHasHappenedIsNotWaitedFor() async {
        event.happen()
        await event.wait()
    }

    @Test func wakesEveryoneWhoWaitsAndMayBeReportedTwice() async {
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<50 { tasks.addTask { [event] in await event.wait() } }
            tasks.addTask { [event] in
                event.happen()
                event.happen()
            }
        }
    }

    /// Goal: cancellation ends a wait whether it comes before, during or after the start of the wait. Method: cancel
    /// many waits concurrently; the event never happens, so a missed cancellation would hang.
    @Test func cancellationEndsTheWait() async {
        for _ in 0..<500 {
            let waiting = Task { [event] in await event.wait() }
            waiting.cancel()
            await waiting.value
        }
    }

    /// Goal: a bounded wait ends at its limit and not before. Method: a manual clock, and a task cancelled from the
    /// start.
    @Test func aBoundedWaitEndsAtItsLimit() async {
        let time = ManualTimeSource()
        let waiting = Task { [event] in await event.wait(atMost: .seconds(5), time: time) }
        waiting.cancel()
        #expect(await time.hasSleepers(1))
        time.advance(by: .seconds(5))
        #expect(await waiting.value == false)
    }

    @Test func aBoundedWaitEndsWithTheEvent() async {
        let time = ManualTimeSource()
        let waiting = Task { [event] in await event.wait(atMost: .seconds(5), time: time) }
        #expect(await time.hasSleepers(1))
        event.happen()
        #expect(await waiting.value)
        #expect(await event.wait(atMost: .seconds(5), time: time))
    }

    @Test func aThreadWaitsBlocked() async {
        let tooEarly = await blocking { [event] in event.block(atMost: .milliseconds(1)) }
        #expect(!tooEarly && !event.hasHappened)
        async let hasHappened = blocking { [event] in event.block(atMost: .seconds(30)) }
        event.happen()
        #expect(await hasHappened)
    }
}
