import Testing

@testable import RedisBus

@Suite struct ReadPatienceTests {
    private func reading(
        _ partitions: (number: Int32, fence: Int64)..., position: Int64 = 7
    ) -> [RedisTenures.Reading] {
        partitions.map { RedisTenures.Reading(number: $0.number, fence: $0.fence, position: position) }
    }

    @Test func readsThatBringNothingWaitLonger() {
        var patience = ReadPatience()
        let waits = (1...6).map { _ in patience.next(for: reading((0, 3), (1, 3)), areAll: true) }
        #expect(waits == [100, 200, 400, 800, 800, 800].map { .milliseconds($0) })
        #expect(patience.next(for: reading((0, 3), (1, 3), position: 8), areAll: true) == .milliseconds(100))
    }

    /// This includes a partition lost and acquired again: it may resume from an earlier position.
    @Test func otherPartitionsBeginAnew() {
        var patience = ReadPatience()
        for next in [reading((0, 3), (1, 3)), reading((0, 3), (1, 3), (2, 1)), reading((0, 3), (1, 4), (2, 1))] {
            #expect(patience.next(for: next, areAll: true) == .milliseconds(100))
            #expect(patience.next(for: next, areAll: true) == .milliseconds(200))
        }
    }

    /// The partition is read again as soon as it has room.
    @Test func aPartitionWithoutRoomKeepsWaitsShort() {
        var patience = ReadPatience()
        for _ in 1...4 {
            #expect(patience.next(for: reading((0, 3)), areAll: false) == .milliseconds(100))
        }
    }
}
