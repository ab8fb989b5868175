import PushModel
import ServiceKit
import Store
import TaskKit
import Testing
import Topics

@testable import scheduler

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
