import PushModel
import RedisClient
import ServiceKit
import Store
import Testing

/// Records of the outcomes that were published.
@Suite(.timeLimit(.minutes(5))) struct LedgerReportedTests {
    private func end(_ offsets: [UInt16], in fixture: LedgerFixture) async throws {
        for part in offsets.chunks(of: 256).map(Array.init) {
            let number = UInt64(part[0]) + 1
            _ = try await fixture.claim(number, offsets: part)
            try await fixture.settle(number, offsets: part, as: .failed, status: 400, reason: "BadTopic")
        }
    }

    private func note(_ offsets: [UInt16], in fixture: LedgerFixture) async throws {
        try await fixture.ledger.noteReported(SegmentSet(offsets), of: fixture.task, in: fixture.segment)
    }

    private func unreported(in fixture: LedgerFixture) async throws -> [UInt16] {
        try await fixture.ledger.unreported(of: fixture.task, in: fixture.segment).map(\.index.offset)
    }

    /// A single device, a list of entries, sizes around the range encoding of a note, and a whole segment.
    @Test(arguments: StoreKind.allCases, [1, 2, 127, 128, 300, 1_300])
    func reportedDevicesAreNotListedAgain(kind: StoreKind, count: Int) async throws {
        let fixture = try await kind.ledger()
        let offsets = (0..<count).map { UInt16($0 * 3 + 2) }
        try await fixture.begin(offsets)
        try await end(offsets, in: fixture)
        #expect(try await unreported(in: fixture) == offsets)
        #expect(try await fixture.claim(9_000, offsets: [offsets[0]]) == [.ended(.failed)])
        let half = Array(offsets.prefix(count / 2))
        if !half.isEmpty {
            try await note(half, in: fixture)
            #expect(try await unreported(in: fixture) == Array(offsets.dropFirst(half.count)))
            #expect(
                try await fixture.claim(9_001, offsets: [offsets[0], offsets[count - 1]])
                    == [.reported, .ended(.failed)])
        }
        for offset in offsets.suffix(3) { try await note([offset], in: fixture) }
        try await note(offsets, in: fixture)
        try await note(offsets, in: fixture)
        #expect(try await unreported(in: fixture).isEmpty)
        let first = Array(offsets.prefix(256))
        #expect(try await fixture.claim(9_002, offsets: first) == first.map { _ in .reported })
        #expect(try await fixture.states() == Dictionary(uniqueKeysWithValues: offsets.map { ($0, .failed) }))
        #expect(try await fixture.detail(offsets[0])?.reason == "BadTopic")
    }

    /// A device that was alone stays noted when others are added, which are not noted.
    @Test(arguments: StoreKind.allCases)
    func aLedgerThatGrowsKeepsItsNotes(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([7], jobs: 2)
        try await end([7], in: fixture)
        try await note([7], in: fixture)
        _ = try await fixture.mark([3, 9])
        try await end([3], in: fixture)
        #expect(try await fixture.claim(2, offsets: [7, 3, 9]) == [.reported, .ended(.failed), .claimed(badge: nil)])
        let unreported = try await fixture.ledger.unreported(of: fixture.task, in: fixture.segment)
        #expect(unreported.map(\.index.offset) == [3])
        #expect(unreported.first?.detail?.reason == "BadTopic")
    }

    /// An outcome set by a claim or by the deadline has not been published.
    @Test(arguments: StoreKind.allCases)
    func untriedDevicesEndUnreported(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await fixture.begin([1, 2, 3])
        _ = try await fixture.claim(1, offsets: [1])
        fixture.passDeadline()
        #expect(try await fixture.claim(2, offsets: [2]) == [.ended(.expired)])
        _ = try await fixture.ledger.expire(fixture.task, in: fixture.segment, untried: .expired)
        let unreported = try await fixture.ledger.unreported(of: fixture.task, in: fixture.segment)
        #expect(unreported.map(\.state) == [.unknown, .expired, .expired])
        #expect(unreported.allSatisfy { $0.detail == nil })
    }

    @Test(arguments: StoreKind.allCases)
    func aNoteOfNothingIsNothing(kind: StoreKind) async throws {
        let fixture = try await kind.ledger()
        try await note([1], in: fixture)
        #expect(try await unreported(in: fixture).isEmpty)
        try await fixture.begin([1, 2])
        try await note([], in: fixture)
        #expect(try await unreported(in: fixture).isEmpty)
    }

    /// A note written after its segment is closed leaves no permanent key in Redis.
    @Test(arguments: [StoreKind.redis, .cluster], [1, 2, 600])
    func aLateNoteGoesWithItsLedger(kind: StoreKind, count: Int) async throws {
        let fixture = try await kind.ledger()
        let redis = try #require(fixture.redis)
        let offsets = (0..<UInt16(count)).map { $0 }
        try await fixture.begin(offsets)
        for part in offsets.chunks(of: 256).map(Array.init) {
            _ = try await fixture.claim(UInt64(part[0]) + 1, offsets: part)
            try await fixture.settle(UInt64(part[0]) + 1, offsets: part)
        }
        try await fixture.ledger.resolve(job: 0, of: fixture.task)
        #expect(try await fixture.ledger.close([fixture.segment], of: fixture.task)?.closed != nil)
        try await note(offsets, in: fixture)
        #expect(try await unreported(in: fixture).isEmpty)
        for prefix in ["led", "det"] {
            let key = RedisArgument("\(prefix):{\(fixture.segment)}:\(fixture.task.key)")
            let life = try #require(try await redis.send([RedisCommand("PTTL", key)])[0].get().integer)
            // PTTL returns -2 for a missing key; -1, a key without expiry, is never expected.
            #expect(life > 0 || (prefix == "det" && count == 1 && life == -2), "\(prefix) of \(count)")
        }
    }
}
