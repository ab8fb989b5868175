import Bus
import Testing

@testable import RedisBus

@Suite struct AppendQueueTests {
    private let full = BusError(.full, "at the bound")

    private func parcel(_ byte: UInt8, bytes: Int = 1, deadline: Duration = .seconds(60)) -> AppendQueue.Parcel {
        AppendQueue.Parcel(
            frames: [UInt8](repeating: byte, count: bytes), count: 1, ticket: SendTicket(parts: 1), deadline: deadline)
    }

    /// The macros of the test library evaluate on a copy, and all of these change the queue.
    private func add(_ bytes: ClosedRange<UInt8>, to queue: inout AppendQueue) {
        for byte in bytes { _ = queue.add(parcel(byte)) }
    }

    private func next(_ queue: inout AppendQueue) -> [UInt8]? { queue.next()?.frames.flatMap { $0 } }

    private func settle(
        _ queue: inout AppendQueue, _ outcome: AppendQueue.Outcome, at now: Duration = .zero
    ) -> [(byte: UInt8, code: BusError.Code?)] {
        queue.settle(outcome, now: now).map { ($0.0.frames[0], $0.1?.code) }
    }

    @Test func whatGathersGoesTogetherAndInOrder() {
        var queue = AppendQueue()
        add(1...1, to: &queue)
        #expect(next(&queue) == [1])
        add(2...4, to: &queue)
        let underWay = next(&queue)
        #expect(underWay == nil, "one is under way at a time")
        #expect(settle(&queue, .appended).map(\.byte) == [1])
        #expect(next(&queue) == [2, 3, 4])
        #expect(settle(&queue, .appended).map(\.byte) == [2, 3, 4])
        let rest = next(&queue)
        #expect(rest == nil && queue.isEmpty)
    }

    @Test func whatWasRefusedIsFirstAgain() {
        var queue = AppendQueue()
        add(1...2, to: &queue)
        _ = queue.next()
        add(3...4, to: &queue)
        #expect(settle(&queue, .refused(full)).isEmpty)
        #expect(!queue.isEmpty)
        #expect(next(&queue) == [1, 2, 3, 4])
    }

    /// Goal: patience ends for each send on its own, whether it was under way or waited behind.
    @Test func theImpatientFailWithTheReason() {
        var queue = AppendQueue()
        for (byte, seconds) in [(1, 10), (2, 30), (3, 10), (4, 30)] as [(UInt8, Int)] {
            _ = queue.add(parcel(byte, deadline: .seconds(seconds)))
            if byte == 2 { _ = queue.next() }
        }
        let settled = settle(&queue, .refused(full), at: .seconds(10))
        #expect(settled.map(\.byte) == [1, 3])
        #expect(settled.allSatisfy { $0.code == .full })
        #expect(next(&queue) == [2, 4])
    }

    @Test func aFailureEndsOnlyWhatWasUnderWay() {
        var queue = AppendQueue()
        add(1...1, to: &queue)
        _ = queue.next()
        add(2...2, to: &queue)
        let settled = settle(&queue, .failed(BusError(.closed, "closed")))
        #expect(settled.map(\.byte) == [1] && settled.first?.code == .closed)
        #expect(next(&queue) == [2])
    }

    @Test func aBatchIsCutAtItsBytesButNeverEmpty() {
        var queue = AppendQueue(batchBytesMaximum: 10)
        for (byte, bytes) in [(1, 25), (2, 6), (3, 4), (4, 1)] as [(UInt8, Int)] {
            _ = queue.add(parcel(byte, bytes: bytes))
        }
        var sizes: [Int] = []
        while let batch = queue.next() {
            #expect(batch.bytes == batch.frames.reduce(0) { $0 + $1.count } && batch.count == batch.frames.count)
            sizes.append(batch.bytes)
            _ = queue.settle(.appended, now: .zero)
        }
        #expect(sizes == [25, 10, 1])
    }

    /// Goal: what waits is bounded, through refusals as well, and there is room again once it was appended.
    @Test func tooMuchIsNotTaken() {
        var queue = AppendQueue(waitingBytesMaximum: 100)
        var taken = 0
        while taken < 1_000, queue.add(parcel(UInt8(taken), bytes: 10)) { taken += 1 }
        #expect(taken == 10)
        _ = queue.next()
        _ = queue.settle(.refused(full), now: .zero)
        let again = queue.add(parcel(1))
        #expect(!again)
        _ = queue.next()
        _ = queue.settle(.appended, now: .zero)
        let afterwards = queue.add(parcel(1))
        #expect(afterwards)
    }
}
