import RedisClient
import Testing

@testable import RedisBus

@Suite struct RedisTenuresTests {
    private func tenures(fence: Int64 = 1, position: Int64 = 10, passed: Int64 = 500) -> RedisTenures {
        var tenures = RedisTenures()
        tenures.begin(0, tenure: .init(fence: fence, inboxTenure: 7, position: position, passed: passed))
        return tenures
    }

    /// The test library's macros evaluate on a copy.
    private func note(_ tenures: inout RedisTenures, nextOffset: Int64, fence: Int64 = 1) -> Bool {
        tenures.note(0, fence: fence, nextOffset: nextOffset, bytes: 500 + nextOffset) != nil
    }

    private func passed(_ tenures: inout RedisTenures, upTo watermark: Int64) -> Int64 {
        tenures.notePassed(0, upTo: watermark)
    }

    @Test func readsOnWhereTheGroupIs() {
        var tenures = tenures()
        #expect(tenures.reading.map(\.position) == [10])
        #expect(note(&tenures, nextOffset: 12))
        #expect(tenures.reading.map(\.position) == [12])
        #expect(!note(&tenures, nextOffset: 12), "an entry already read")
        #expect(!note(&tenures, nextOffset: 11))
    }

    /// Goal: a response to a read of an earlier tenure does not move the position of the next one.
    @Test func anAnswerOfAnEarlierTenureIsIgnored() {
        var tenures = tenures()
        tenures.begin(0, tenure: .init(fence: 2, inboxTenure: 8, position: 10, passed: 500))
        #expect(!note(&tenures, nextOffset: 15, fence: 1))
        let tenure = tenures.note(0, fence: 2, nextOffset: 15, bytes: 0)
        #expect(tenure == 8, "the inbox' current tenure")
        tenures.end(0)
        #expect(!note(&tenures, nextOffset: 20, fence: 2))
        #expect(tenures.numbers.isEmpty)
    }

    @Test func whatLeavesIsNotRead() {
        var tenures = tenures()
        tenures.markLeaving(0, since: .seconds(1))
        tenures.markLeaving(0, since: .seconds(9))
        #expect(tenures.held[0]?.leavingSince == .seconds(1))
        #expect(tenures.reading.isEmpty)
        #expect(!note(&tenures, nextOffset: 12))
    }

    private func entry(_ nextOffset: Int, time: Int, after: String?) throws -> RedisStreamEntry {
        var fields = ["b", "x", "c", "1", "t", "\(time)"]
        if let after { fields += ["p", after] }
        let value = RedisValue.array([
            .bytes(Array("\(nextOffset)-0".utf8)), .array(fields.map { .bytes(Array($0.utf8)) }),
        ])
        return try #require(RedisStreamEntry(value))
    }

    /// Goal: an entry, and nothing else, reveals that the log is not the one that was read. Method: the entry at 20 was
    /// read, written at time 7.
    @Test(arguments: [
        ("20 7", false), ("20 8", true), ("15 7", true), ("30 9", false), ("", false), (nil, false),
    ])
    func anEntryShowsWhatItFollows(after: String?, isRewritten: Bool) throws {
        var tenures = tenures()
        let first = try entry(20, time: 7, after: "10 3")
        let atFirst = tenures.findRewritten(0, fence: 1, by: first)
        #expect(!atFirst, "the first entry of a tenure")
        _ = tenures.note(0, fence: 1, nextOffset: 20, bytes: 1, mark: first.mark)
        let elsewhere = tenures.findRewritten(0, fence: 2, by: try entry(40, time: 9, after: after))
        #expect(!elsewhere, "an entry of another tenure")
        let found = tenures.findRewritten(0, fence: 1, by: try entry(40, time: 9, after: after))
        #expect(found == isRewritten)
        #expect(tenures.reading.isEmpty == isRewritten)
    }

    @Test func aLogIsRecognisedOnceInAWhile() throws {
        var tenures = tenures()
        let unread = tenures.toRecognise(0, at: .seconds(1))
        let mark = try entry(20, time: 7, after: nil).mark
        _ = tenures.note(0, fence: 1, nextOffset: 20, bytes: 1, mark: mark)
        let asked = [1_000, 1_099, 1_100].map { tenures.toRecognise(0, at: .milliseconds($0)) }
        #expect(unread == nil && asked == [mark, nil, mark])
        tenures.record(0, fence: 1, watermark: 20)
        tenures.record(0, fence: 1, watermark: 15)
        tenures.record(0, fence: 2, watermark: 90)
        #expect(tenures.held[0]?.recorded == 20)
    }

    @Test func countsTheBytesBelowAWatermark() {
        var tenures = tenures()
        #expect(passed(&tenures, upTo: 10) == 500)
        _ = note(&tenures, nextOffset: 12)
        _ = note(&tenures, nextOffset: 20)
        #expect(passed(&tenures, upTo: 11) == 500, "inside an entry")
        #expect(passed(&tenures, upTo: 12) == 512)
        #expect(passed(&tenures, upTo: 15) == 512)
        #expect(passed(&tenures, upTo: 20) == 520)
        #expect(tenures.notePassed(7, upTo: 20) == 0)
    }
}

@Suite struct RedisShareTests {
    /// Goal: for any members, each partition has exactly one owner, and the shares differ by at most one.
    @Test(arguments: 1...9, [1, 2, 4, 7, 24])
    func everyPartitionHasOneOwner(memberCount: Int, count: Int) {
        let members = (0..<memberCount).map { "member-\($0 * 7919 % 101)" }
        let shares = members.map { RedisShare.partitions(of: $0, among: members.shuffled(), count: count) }
        #expect(shares.flatMap { $0 }.sorted() == (0..<Int32(count)).map { $0 })
        let sizes = shares.map(\.count)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
    }

    /// Goal: a new member gets its share and the others keep most of theirs, where a round-robin assignment would move
    /// nearly everything.
    @Test func fewPartitionsMoveWhenAConsumerJoins() {
        let members = (0..<5).map { "member-\($0 * 7919 % 101)" }
        func owners(_ members: [String]) -> [Int32: String] {
            var owners: [Int32: String] = [:]
            for member in members {
                for partition in RedisShare.partitions(of: member, among: members, count: 60) {
                    owners[partition] = member
                }
            }
            return owners
        }
        let before = owners(members)
        let after = owners(members + ["newcomer"])
        let moved = before.filter { after[$0.key] != $0.value }
        #expect(after.values.count { $0 == "newcomer" } == 10)
        #expect(moved.count <= 25)
    }

    @Test func whoIsNotInTheGroupHasNone() {
        #expect(RedisShare.partitions(of: "a", among: ["b"], count: 4).isEmpty)
        #expect(RedisShare.partitions(of: "a", among: [], count: 4).isEmpty)
    }
}
