import ServiceKit
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

    /// Goal: cancellation ends a wait whether it comes before, while or after the wait begins. Method: many waits against
    /// a cancellation at once; the event never happens, so each that is missed would hang.
    @Test func cancellationEndsTheWait() async {
        for _ in 0..<500 {
            let waiting = Task { [event] in await event.wait() }
            waiting.cancel()
            await waiting.value
        }
    }
}
