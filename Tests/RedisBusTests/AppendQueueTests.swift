import Bus
import Testing

@testable import RedisBus

@Suite struct AppendQueueTests {
    private let full = BusError(.full, message: "at the bound")

    private func parcel(_ byte: UInt8, bytes: Int = 1, deadline: Duration = .seconds(60)) -> AppendQueue.Parcel {
        AppendQueue.Parcel(
            frames: [UInt8](repeating: byte, count: bytes), count: 1, valueBytes: bytes,
            ticket: SendTicket(parts: 1), part: 0, deadline: deadline)
    }

    /// The test library's macros evaluate on a copy, but all of these calls mutate the queue.
    private func add(_ bytes: ClosedRange<UInt8>, to queue: inout AppendQueue) {
        for byte in bytes { queue.add(parcel(byte)) }
    }

    private func next(_ queue: inout AppendQueue, at now: Duration = .zero) -> [UInt8]? {
        queue.next(now: now)?.frames.flatMap { $0 }
    }

    private func settle(_ queue: inout AppendQueue, outcome: AppendQueue.Outcome) -> [UInt8] {
        queue.settle(outcome).map { $0.frames[0] }
    }

    @Test func whatGathersGoesTogetherAndInOrder() {
        var queue = AppendQueue()
        add(1...1, to: &queue)
        #expect(next(&queue) == [1])
        add(2...4, to: &queue)
        let underWay = next(&queue)
        #expect(underWay == nil, "one append in flight at a time")
        #expect(settle(&queue, outcome: .appended(next: 1)) == [1])
        #expect(next(&queue) == [2, 3, 4])
        #expect(settle(&queue, outcome: .appended(next: 1)) == [2, 3, 4])
        let rest = next(&queue)
        #expect(rest == nil)
    }

    /// Goal: a refused append is retried alone and first, which keeps both the order and the bound.
    @Test func whatWasRefusedIsFirstAgain() {
        var queue = AppendQueue()
        add(1...2, to: &queue)
        _ = next(&queue)
        add(3...4, to: &queue)
        #expect(settle(&queue, outcome: .refused(full)).isEmpty)
        queue.endRest()
        #expect(next(&queue) == [1, 2])
        #expect(settle(&queue, outcome: .appended(next: 1)) == [1, 2])
        #expect(next(&queue) == [3, 4])
    }

    /// Goal: a steady stream of sends does not cause appends during the backoff after a refusal.
    @Test func nothingIsAppendedWhileItRests() {
        var queue = AppendQueue()
        add(1...1, to: &queue)
        _ = next(&queue)
        _ = settle(&queue, outcome: .refused(full))
        add(2...9, to: &queue)
        let resting = next(&queue)
        #expect(resting == nil)
        queue.endRest()
        #expect(next(&queue) == [1])
    }

    @Test func whoseTimeIsOverIsDropped() {
        var queue = AppendQueue()
        for (byte, seconds) in [(1, 10), (2, 30), (3, 10), (4, 30)] as [(UInt8, Int)] {
            queue.add(parcel(byte, deadline: .seconds(seconds)))
            if byte == 2 { _ = next(&queue) }
        }
        _ = settle(&queue, outcome: .refused(full))
        queue.endRest()
        #expect(next(&queue, at: .seconds(10)) == [2])
        #expect(settle(&queue, outcome: .appended(next: 1)) == [2])
        #expect(next(&queue, at: .seconds(10)) == [4])
    }

    @Test func aFailureEndsOnlyWhatWasUnderWay() {
        var queue = AppendQueue()
        add(1...1, to: &queue)
        _ = next(&queue)
        add(2...2, to: &queue)
        #expect(settle(&queue, outcome: .failed(BusError(.closed, message: "closed"))) == [1])
        #expect(next(&queue) == [2])
    }

    @Test func aBatchIsCutAtItsBytesButNeverEmpty() {
        var queue = AppendQueue(batchBytesMaximum: 10)
        for (byte, bytes) in [(1, 25), (2, 6), (3, 4), (4, 1)] as [(UInt8, Int)] {
            queue.add(parcel(byte, bytes: bytes))
        }
        var sizes: [Int] = []
        while let batch = queue.next(now: .zero) {
            #expect(batch.bytes == batch.frames.reduce(0) { $0 + $1.count } && batch.count == batch.frames.count)
            sizes.append(batch.bytes)
            _ = queue.settle(.appended(next: 1))
        }
        #expect(sizes == [25, 10, 1])
    }
}
