import PushModel
import ServiceKit
import Store
import TestSupport
import Testing

@testable import RedisStore

/// When segments are counted again.
@Suite(.timeLimit(.minutes(3))) struct DeviceCensusTests {
    private func segments(_ numbers: UInt32...) -> [SegmentNumber] {
        numbers.map(SegmentNumber.init(rawValue:))
    }

    @Test func segmentsThatMayHaveGrownAreCountedAgain() {
        let census = DeviceCensus(counts: [Int](repeating: 100, count: 30), open: segments(2, 9), at: .seconds(1))
        #expect(census.total(replacing: [:]) == 3_000)
        let standing = SegmentAllocator.Standing(count: 32, open: segments(9, 11, 31))
        let uncertain = census.uncertain(now: standing)
        #expect(uncertain == segments(2, 9, 11) + (16..<32).map(SegmentNumber.init(rawValue:)), "open, or the newest")
        let counts = Dictionary(uniqueKeysWithValues: uncertain.map { ($0, 1) })
        #expect(census.total(replacing: counts) == 13 * 100 + 19)
        let many = SegmentAllocator.Standing(count: 100, open: [])
        #expect(census.uncertain(now: many).count == 72, "2, 9 and every new one")
    }

    /// The time grows with the number of segments.
    @Test func closedSegmentsAreCountedAgainAfterATime() {
        let small = DeviceCensus(counts: [1], open: [], at: .seconds(1))
        #expect(small.isCurrent(at: .milliseconds(1_003)) && !small.isCurrent(at: .milliseconds(1_004)))
        let large = DeviceCensus(counts: [Int](repeating: 4_096, count: 250), open: [], at: .seconds(1))
        #expect(large.isCurrent(at: .milliseconds(1_999)) && !large.isCurrent(at: .seconds(2)))
    }

    /// Goal: devices removed from a full segment make room soon. Method: devices in 20 segments, none open; one is
    /// removed by another client.
    @Test func aRemovalFromAClosedSegmentIsSeenSoon() async throws {
        let fixture = try await RegistryFixture()
        let app = try AppID("news")
        let registry = try await fixture.registry()
        let changes = try (0..<20).map { number in
            LoggedChange(
                offset: Int64(number),
                RegistryChange(
                    app: app, index: DeviceIndex(rawValue: UInt32(number * 4_096)),
                    .device(try Samples.device(number))))
        }
        try await registry.apply(changes)
        #expect(try await registry.deviceCount(in: app) == 20)
        let id = try #require(try await registry.device(of: Samples.token(3), in: app))
        #expect(try await fixture.registry().remove(id, in: app))
        #expect(try await fixture.registry().deviceCount(in: app) == 19, "a new process counts all")
        fixture.time.advance(by: .milliseconds(80))
        #expect(try await registry.deviceCount(in: app) == 19)
    }
}
