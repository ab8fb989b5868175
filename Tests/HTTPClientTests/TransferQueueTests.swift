import Testing

@testable import HTTPClient

@Suite final class TransferQueueTests {
    private var queue = TransferQueue(concurrentMaximum: 2, hostMaximum: 2, waitingMaximum: 2)

    @Test func startsInOrderUpToItsBound() {
        for id in 1...4 { expect(.admitted, for: id) }
        expect(.full, for: 5)
        #expect(step().starts == [1, 2])
        #expect(step().starts == [])
        queue.finish(1)
        expect(.admitted, for: 6)
        #expect(step().starts == [3])
    }

    @Test func whatWaitsTooLongExpires() {
        for id in 1...2 { expect(.admitted, for: id, deadline: 10) }
        #expect(step().starts == [1, 2])
        expect(.admitted, for: 3, deadline: 5)
        expect(.admitted, for: 4, deadline: 7)
        #expect(step(4).next == .seconds(5))
        let late = step(6)
        #expect(late.expirations == [3] && late.next == .seconds(7))
        let last = step(10)
        #expect(last.expirations == [4] && last.aborts == [abort(1, reason: .overdue), abort(2, reason: .overdue)])
        #expect(step(11).aborts == [])
        queue.finish(1)
        #expect(step(11).starts == [])
    }

    @Test func whatIsWithdrawnAndOverdueIsAbortedOnce() {
        expect(.admitted, for: 1, deadline: 5)
        _ = step()
        _ = queue.withdraw(1)
        #expect(step(5).aborts == [abort(1, reason: .unwanted)])
        #expect(step(6).aborts == [])
    }

    @Test func aHostTakesItsShareAlone() {
        queue = TransferQueue(concurrentMaximum: 3, hostMaximum: 2, waitingMaximum: 9)
        for id in 1...3 { expect(.admitted, for: id) }
        for id in 4...5 { expect(.admitted, for: id, host: "other") }
        #expect(step().starts == [1, 2, 4])
        queue.finish(2)
        #expect(step().starts == [3])
        queue.finish(1)
        queue.finish(3)
        #expect(step().starts == [5])
    }

    @Test func whatIsWithdrawnIsGoneOrAborted() {
        for id in 1...3 { expect(.admitted, for: id) }
        _ = step()
        let wasWaiting = queue.withdraw(3)
        let wasRunning = queue.withdraw(1)
        let wasUnknown = queue.withdraw(9)
        #expect(wasWaiting && !wasRunning && !wasUnknown)
        let next = step()
        #expect(next.aborts == [abort(1, reason: .unwanted)])
        #expect(step().aborts == [])
    }

    @Test func whatIsDoneIsNotAborted() {
        expect(.admitted, for: 1)
        _ = step()
        _ = queue.withdraw(1)
        queue.finish(1)
        #expect(step().aborts == [])
    }

    @Test func closingFinishesWhatItHas() {
        for id in 1...3 { expect(.admitted, for: id) }
        _ = step()
        queue.close(at: .seconds(20))
        expect(.closed, for: 4)
        queue.finish(1)
        #expect(step().starts == [3])
        queue.finish(2)
        #expect(!step().isOver)
        queue.finish(3)
        #expect(step().isOver)
    }

    @Test func theLimitOfClosingCutsOff() {
        for id in 1...3 { expect(.admitted, for: id, deadline: 100) }
        _ = step()
        queue.close(at: .seconds(20))
        queue.close(at: .seconds(30))
        #expect(step(19).next == .seconds(20))
        let last = step(20)
        #expect(
            last.aborts == [abort(1, reason: .closing), abort(2, reason: .closing)] && last.refusals == [3]
                && !last.isOver)
        queue.finish(1)
        queue.finish(2)
        #expect(step(20).isOver)
    }

    @Test func anOpenQueueIsNeverOver() {
        let first = step()
        #expect(!first.isOver && first.next == nil)
    }

    private func expect(
        _ admission: TransferQueue.Admission, for id: Int, host: String = "host", deadline: Int64 = 50
    ) {
        let actual = queue.admit(id, host: host, deadline: .seconds(deadline))
        #expect(actual == admission)
    }

    private func abort(_ id: Int, reason: TransferQueue.Abort.Reason) -> TransferQueue.Abort {
        TransferQueue.Abort(id: id, reason: reason)
    }

    private func step(_ seconds: Int64 = 0) -> TransferQueue.Step {
        queue.step(at: .seconds(seconds))
    }
}
