import PushModel
import ServiceKit
import Store
import TaskKit
import Testing
import Topics

@testable import Scheduler

@Suite struct RetryGroupTests {
    private let first = TaskID(high: 1, low: 1)
    private let second = TaskID(high: 1, low: 2)

    private func order(
        _ task: TaskID, segment: UInt32, offsets: [UInt16], attempt: UInt8 = 1, due: Int64 = 5,
        provider: PushProtocol = .apns
    ) throws -> RetryOrder {
        RetryOrder(
            task: task, segment: SegmentID(try AppID("news"), number: SegmentNumber(rawValue: segment)),
            provider: provider,
            attempt: attempt, due: due,
            devices: offsets.map { RetryOrder.Device(offset: $0, tag: UInt32($0), isSilent: $0 == 2) })
    }

    /// A device with two orders must not appear twice in one claim of a sender.
    @Test func aDeviceOrderedTwiceIsReleasedOnce() throws {
        let groups = RetryGroup.groups(of: [
            try order(first, segment: 3, offsets: [1, 2]), try order(second, segment: 3, offsets: [1]),
            try order(first, segment: 3, offsets: [2, 3], due: 9),
            try order(first, segment: 3, offsets: [1], attempt: 2),
        ])
        #expect(groups.map(\.key.task) == [first, second, first])
        #expect(groups.map(\.offsets.offsets) == [[1, 2, 3], [1], [1]])
    }

    @Test func whatIsPutOffIsOrderedAsItWas() throws {
        let orders = [
            try order(first, segment: 3, offsets: [1, 2]), try order(first, segment: 3, offsets: [7], provider: .fcm),
        ]
        let group = try #require(RetryGroup.groups(of: orders).first)
        let later = Timestamp(milliseconds: 9_000)
        #expect(group.orders(due: later) == orders.map { $0.with(devices: $0.devices, due: 9_000) })
        #expect(group.limited(to: [2]).orders(due: later).map(\.offsets) == [[2]])
    }

    /// Goal: a device keeps its content whether it is released or put off. Method: orders with contents, one of a device
    /// that was ordered before with another one.
    @Test func aDeviceKeepsItsContent() throws {
        let contents = [1: ContentNumber(part: 0, place: 3), 2: ContentNumber(part: 7, place: 399)]
        func varied(_ offsets: [Int], shifted: Int = 0) throws -> RetryOrder {
            let plain = try order(first, segment: 3, offsets: [])
            return plain.with(
                devices: offsets.map { offset in
                    RetryOrder.Device(
                        offset: UInt16(offset), tag: 1, isSilent: false,
                        content: contents[offset + shifted] ?? .ofTask)
                }, due: plain.due)
        }
        let orders = [try varied([1, 2]), try varied([1, 3], shifted: 1)]
        let group = try #require(RetryGroup.groups(of: orders).first)
        let later = group.orders(due: Timestamp(milliseconds: 9)).flatMap(\.devices)
        let expected = [contents[1], contents[2], .ofTask]
        #expect(later.map(\.content) == expected)
        var found = PackedDevices()
        for offset in group.offsets.offsets { found.append(offset: offset, record: [1]) }
        let chunk = try #require(RetryLookup.chunks([lookup(group, found: found)], isFast: false).first)
        #expect((0..<3).map { chunk.segments[0].content(at: $0) } == expected)
    }

    private func lookup(_ group: RetryGroup, found: PackedDevices) -> RetryLookup {
        let judged = JudgedDevices(
            found, among: group.offsets, in: group.key.segment.number, judge: nil, now: Timestamp(milliseconds: 0))
        return RetryLookup(group: group, found: found, judged: judged)
    }

    @Test func segmentsOfOneTaskShareAChunkAndAttemptsDoNot() throws {
        let groups = RetryGroup.groups(of: [
            try order(first, segment: 3, offsets: [1, 2]), try order(second, segment: 3, offsets: [1]),
            try order(first, segment: 4, offsets: [5]),
            try order(first, segment: 4, offsets: [6], attempt: 2),
        ])
        let lookups = groups.map { group in
            var found = PackedDevices()
            for offset in group.offsets.offsets { found.append(offset: offset, record: [UInt8(offset)]) }
            return lookup(group, found: found)
        }
        let chunks = RetryLookup.chunks(lookups, isFast: true)
        #expect(chunks.map(\.task) == [first, second, first])
        #expect(chunks.map(\.attempt) == [1, 1, 2])
        #expect(chunks[0].segments.map(\.segment.rawValue) == [3, 4])
        #expect(chunks[0].segments[0].isSilent == [false, true])
        #expect(chunks[0].segments[1].record(at: 0) == [5])
        #expect(chunks.allSatisfy { $0.lane == .fast })
    }

    @Test func whoIsNotFoundIsGone() throws {
        let group = try #require(RetryGroup.groups(of: [try order(first, segment: 3, offsets: [1, 2, 3])]).first)
        var found = PackedDevices()
        found.append(offset: 2, record: [0])
        #expect(lookup(group, found: found).gone.offsets.offsets == [1, 3])
    }
}
