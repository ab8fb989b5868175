import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite(.timeLimit(.minutes(3))) struct MailboxTests {
    private let mailbox = Mailbox(ConsumerOptions(channel: TestTopics.make().channel, group: "g"))

    /// Goal: cancellation ends a wait whether it comes before, during or after the start of the wait. Method: cancel
    /// many waits concurrently; nothing is ever offered, so a missed cancellation would hang.
    @Test func aCancelledTaskGetsNothing() async {
        for _ in 0..<500 {
            let waiting = Task { [mailbox] in await mailbox.next() }
            waiting.cancel()
            #expect(await waiting.value == nil)
        }
    }

    /// Goal: an element that arrives after a cancellation goes to another waiting task.
    @Test func aCancelledTaskTakesNothingFromOthers() async {
        let cancelled = Task { [mailbox] in await mailbox.next() }
        let waiting = Task { [mailbox] in await mailbox.next() }
        cancelled.cancel()
        #expect(await cancelled.value == nil)
        let partition = PartitionID(channel: "t", number: 0)
        mailbox.change { inbox in
            inbox.assign(partition)
            _ = inbox.offer(
                [
                    IncomingMessage(
                        partition: partition, offset: 0, key: nil, value: [1], headers: [],
                        timestamp: Timestamp(milliseconds: 0))
                ], to: partition)
        }
        #expect(await waiting.value?.messages.count == 1)
    }
}
