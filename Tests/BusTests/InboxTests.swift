import Bus
import ServiceKit
import TestSupport
import Testing
import Topics

@Suite struct InboxTests {
    private let partition = PartitionID(channel: "t", number: 0)

    private func inbox(_ order: ConsumerOptions.Order = .partition, batch: Int = 2, buffer: Int = 1 << 20) -> Inbox {
        Inbox(
            ConsumerOptions(
                channel: TestTopics.make().channel, group: "g", order: order, batchMessagesMaximum: batch,
                bufferBytesMaximum: buffer))
    }

    private func messages(_ offsets: ClosedRange<Int64>, bytes: Int = 10, partition number: Int32 = 0)
        -> [IncomingMessage]
    {
        offsets.map {
            IncomingMessage(
                partition: PartitionID(channel: "t", number: number), offset: $0, key: nil,
                value: [UInt8](repeating: 1, count: bytes), headers: [], timestamp: Timestamp(milliseconds: 0))
        }
    }

    /// The test library's macros evaluate on a copy, but all of these calls mutate the inbox.
    private func taken(from inbox: inout Inbox) throws -> Delivery {
        let delivery = inbox.take()
        return try #require(delivery)
    }

    private func isIdle(_ inbox: inout Inbox) -> Bool { inbox.take() == nil }
    private func resting(_ inbox: inout Inbox) -> Set<PartitionID> { inbox.updateResting() }
    private func isPaused(_ inbox: inout Inbox) -> Bool { inbox.updatePause() }
    private func moved(_ inbox: inout Inbox) -> [PartitionID: Int64] { inbox.takeWatermarks() }

    private func missing(_ inbox: inout Inbox, messages: [IncomingMessage]) -> Int64 {
        inbox.offer(messages, to: partition)
    }

    @Test func withOrderAPartitionHasOneDeliveryOut() throws {
        var inbox = inbox()
        inbox.assign(partition)
        _ = inbox.offer(messages(0...4), to: partition)
        let first = try taken(from: &inbox)
        #expect(first.messages.map(\.offset) == [0, 1])
        #expect(isIdle(&inbox))
        inbox.complete(first)
        let second = try taken(from: &inbox)
        #expect(second.messages.map(\.offset) == [2, 3])
    }

    @Test func withoutOrderTheWatermarkStopsAtTheOldestOpenDelivery() throws {
        var inbox = inbox(.none)
        inbox.assign(partition)
        _ = inbox.offer(messages(0...5), to: partition)
        let deliveries = (0..<3).compactMap { _ in inbox.take() }
        try #require(deliveries.count == 3)
        inbox.complete(deliveries[2])
        inbox.complete(deliveries[1])
        #expect(moved(&inbox).isEmpty)
        inbox.complete(deliveries[0])
        #expect(moved(&inbox) == [partition: 6])
        #expect(moved(&inbox).isEmpty)
    }

    @Test func aWatermarkThatCouldNotBeRecordedIsOfferedAgain() throws {
        var inbox = inbox()
        inbox.assign(partition)
        _ = inbox.offer(messages(0...0), to: partition)
        let taken = try taken(from: &inbox)
        inbox.complete(taken)
        #expect(moved(&inbox) == [partition: 1])
        inbox.forgetRecorded(partition)
        #expect(inbox.hasNewWatermarks)
        #expect(moved(&inbox) == [partition: 1])
    }

    @Test func completingTwiceCountsOnce() throws {
        var inbox = inbox()
        inbox.assign(partition)
        _ = inbox.offer(messages(0...1), to: partition)
        let delivery = try taken(from: &inbox)
        inbox.complete(delivery)
        inbox.complete(delivery)
        #expect(inbox.bufferedBytes == 0)
    }

    @Test func workOfAnEarlierTenureIsIgnored() throws {
        var inbox = inbox()
        inbox.assign(partition)
        _ = inbox.offer(messages(0...1), to: partition)
        let stale = try taken(from: &inbox)
        inbox.remove(partition)
        inbox.assign(partition)
        #expect(!inbox.isCurrent(stale))
        inbox.complete(stale)
        #expect(moved(&inbox).isEmpty)
        #expect(inbox.bufferedBytes == 0)
    }

    @Test func aLeavingPartitionFinishesButDeliversNoMore() throws {
        var inbox = inbox()
        inbox.assign(partition)
        _ = inbox.offer(messages(0...4), to: partition)
        let delivery = try taken(from: &inbox)
        inbox.beginLeaving(partition)
        #expect(inbox.hasFlights(partition))
        inbox.complete(delivery)
        #expect(!inbox.hasFlights(partition))
        #expect(isIdle(&inbox))
        #expect(inbox.watermark(of: partition) == 2)
        #expect(inbox.bufferedBytes == 0)
    }

    @Test func partitionsTakeTurns() {
        var inbox = inbox(batch: 1)
        for number: Int32 in 0...1 {
            inbox.assign(PartitionID(channel: "t", number: number))
            _ = inbox.offer(messages(0...2, partition: number), to: PartitionID(channel: "t", number: number))
        }
        var turns: [Int32] = []
        while let delivery = inbox.take() {
            turns.append(delivery.partition.number)
            inbox.complete(delivery)
        }
        #expect(turns == [0, 1, 0, 1, 0, 1])
    }

    @Test func aGapIsCountedAndARepeatIsNot() {
        var inbox = inbox()
        let tenure = inbox.assign(partition, from: 5)
        #expect(missing(&inbox, messages: messages(5...6)) == 0)
        #expect(missing(&inbox, messages: messages(9...9)) == 2)
        let missing = inbox.offerUnseen(messages(8...10), to: partition, tenure: tenure)
        #expect(missing == 0)
    }

    @Test func whatWasFetchedForAnEarlierTenureIsNotTakenIn() throws {
        var inbox = inbox()
        let earlier = inbox.assign(partition, from: 50)
        let later = inbox.assign(partition, from: 50)
        _ = inbox.offerUnseen(messages(100...101), to: partition, tenure: earlier)
        _ = inbox.offerUnseen(messages(50...51), to: partition, tenure: later)
        let delivery = try taken(from: &inbox)
        #expect(delivery.messages.map(\.offset) == [50, 51])
    }

    @Test func aPartitionThatStandsStillLeavesRoomForTheOthers() {
        var inbox = inbox(buffer: 1_000)
        let other = PartitionID(channel: "t", number: 1)
        inbox.assign(partition)
        inbox.assign(other)
        _ = inbox.offer(messages(0...9), to: partition)
        let resting = inbox.updateResting()
        #expect(resting == [partition])
    }

    /// Goal: a partition is paused at a full share and resumed at half a share, without affecting others. Method: two
    /// partitions share a buffer of 800, so that 400 fill one; each message costs 100.
    @Test func aPartitionRestsFromAFullShareToHalfOfIt() throws {
        var inbox = inbox(batch: 1, buffer: 800)
        inbox.assign(partition)
        inbox.assign(PartitionID(channel: "t", number: 1))
        _ = inbox.offer(messages(0...2, bytes: 36), to: partition)
        #expect(resting(&inbox).isEmpty)
        _ = inbox.offer(messages(3...3, bytes: 36), to: partition)
        #expect(resting(&inbox) == [partition])
        inbox.complete(try taken(from: &inbox))
        #expect(resting(&inbox) == [partition])
        _ = try taken(from: &inbox)
        #expect(resting(&inbox).isEmpty)
        _ = inbox.offer(messages(4...4, bytes: 36), to: partition)
        #expect(resting(&inbox).isEmpty)
    }

    @Test func sharesGrowWhenPartitionsLeave() {
        var inbox = inbox(buffer: 800)
        let other = PartitionID(channel: "t", number: 1)
        inbox.assign(partition)
        inbox.assign(other)
        _ = inbox.offer(messages(0...3, bytes: 36), to: partition)
        #expect(resting(&inbox) == [partition])
        inbox.remove(other)
        #expect(inbox.share == 800)
        #expect(resting(&inbox).isEmpty)
    }

    /// Goal: waiting messages that fill the buffer do not pause a partition that has room; only as many messages in
    /// flight on top of them do. Method: the whole buffer waits, then the same amount is taken.
    @Test func everythingRestsAtTwiceTheBuffer() throws {
        var inbox = inbox(.none, batch: 4, buffer: 400)
        inbox.assign(partition)
        _ = inbox.offer(messages(0...3, bytes: 36), to: partition)
        #expect(!isPaused(&inbox))
        let first = try taken(from: &inbox)
        _ = inbox.offer(messages(4...7, bytes: 36), to: partition)
        #expect(isPaused(&inbox))
        let second = try taken(from: &inbox)
        #expect(isPaused(&inbox))
        inbox.complete(first)
        #expect(!isPaused(&inbox))
        inbox.complete(second)
    }

    @Test func aBatchIsCutAtItsBytesButNeverEmpty() throws {
        var inbox = Inbox(
            ConsumerOptions(channel: TestTopics.make().channel, group: "g", batchBytesMaximum: 100))
        inbox.assign(partition)
        _ = inbox.offer(messages(0...1, bytes: 500), to: partition)
        let delivery = try taken(from: &inbox)
        #expect(delivery.messages.count == 1)
    }
}
