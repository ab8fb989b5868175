import MemoryStore
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// Start counts shared by processes, on every store.
@Suite(.timeLimit(.minutes(5))) struct MessageStartsTests {
    private let place: ConsumedPartition
    private let other: ConsumedPartition

    /// In a group of the test's own.
    init() {
        let group = "renderer-\(SystemRandomSource().hexadecimal())"
        place = ConsumedPartition(group: group, channel: "audience.bulk", number: 3)
        other = ConsumedPartition(group: group, channel: "audience.bulk", number: 4)
    }

    @Test(arguments: StoreKind.allCases)
    func onlyWhatWasNotClosedIsSuspected(kind: StoreKind) async throws {
        try await kind.withStarts { starts in
            #expect(try await !starts.open(place, owner: "a"))
            // The partition was revoked and assigned again.
            #expect(try await !starts.open(place, owner: "a"))
            try await starts.close(place, owner: "a", givingBack: [])
            #expect(try await !starts.open(place, owner: "b"))
            #expect(try await starts.open(place, owner: "c"))
            // Too late: another process is the owner.
            try await starts.close(place, owner: "b", givingBack: [])
            #expect(try await starts.open(place, owner: "d"))
            #expect(try await !starts.open(other, owner: "e"))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func startsAreCountedUntilTheyEndOrAreGivenBack(kind: StoreKind) async throws {
        try await kind.withStarts { starts in
            #expect(try await starts.begin([7, 8], of: place, owner: "a", regardless: false) == [0, 0])
            // One of them was already started, so none is counted.
            #expect(try await starts.begin([8, 9], of: place, owner: "b", regardless: false) == [1, 0])
            #expect(try await starts.begin([9], of: place, owner: "c", regardless: false) == [0])
            #expect(try await starts.begin([8], of: place, owner: "b", regardless: true) == [1])
            #expect(try await starts.begin([8], of: place, owner: "c", regardless: true) == [2])
            #expect(try await starts.begin([8], of: other, owner: "c", regardless: true) == [0])
            try await starts.giveBack([7, 8, 100], of: place, owner: "a")
            #expect(try await starts.begin([7], of: place, owner: "d", regardless: false) == [0])
            #expect(try await starts.begin([8], of: place, owner: "d", regardless: false) == [2])
            try await starts.end([7, 8], of: place)
            #expect(try await starts.begin([8], of: place, owner: "d", regardless: false) == [0])
        }
    }

    /// A start may be repeated since its answer was lost, and only its own owner gives it back.
    @Test(arguments: StoreKind.allCases)
    func anOwnerCountsOnce(kind: StoreKind) async throws {
        try await kind.withStarts { (starts) async throws in
            for _ in 1...3 {
                #expect(try await starts.begin([1, 2], of: place, owner: "a", regardless: true) == [0, 0])
            }
            try await starts.giveBack([1], of: place, owner: "b")
            #expect(try await starts.begin([1, 2], of: place, owner: "b", regardless: false) == [1, 1])
            try await starts.giveBack([1], of: place, owner: "a")
            try await starts.giveBack([1], of: place, owner: "a")
            #expect(try await starts.begin([1, 2], of: place, owner: "b", regardless: false) == [0, 1])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func startsOfAMessageAreBounded(kind: StoreKind) async throws {
        try await kind.withStarts { (starts) async throws in
            for number in 0..<MessageStartsBounds.startsMaximum + 2 {
                let expected = min(number, MessageStartsBounds.startsMaximum)
                #expect(try await starts.begin([1], of: place, owner: "\(number)", regardless: true) == [expected])
            }
        }
    }

    /// A process that shuts down cleanly returns its starts in flight and keeps the counts of others.
    @Test(arguments: StoreKind.allCases)
    func closingGivesBackAndKeepsTheRest(kind: StoreKind) async throws {
        try await kind.withStarts { starts in
            _ = try await starts.begin([1], of: place, owner: "a process that died", regardless: true)
            #expect(try await starts.open(place, owner: "a"))
            _ = try await starts.begin([1], of: place, owner: "a", regardless: true)
            _ = try await starts.begin([2], of: place, owner: "a", regardless: true)
            try await starts.close(place, owner: "a", givingBack: [1, 2])
            #expect(try await starts.open(place, owner: "b"))
            #expect(try await starts.begin([1], of: place, owner: "b", regardless: false) == [1])
            #expect(try await starts.begin([2], of: place, owner: "b", regardless: false) == [0])
        }
    }

    @Test func countsAreForgottenInTheEnd() async throws {
        let time = ManualTimeSource()
        let starts = MemoryMessageStarts(time: time)
        _ = starts.begin([1], of: place, owner: "a", regardless: true)
        time.advance(by: MessageStartsBounds.memory)
        #expect(starts.begin([1], of: place, owner: "b", regardless: false) == [0])
        let store = try await StoreFixture(.redis)
        let redis = try #require(try store.client())
        _ = try await RedisMessageStarts(StoreConnection(redis)).begin([1], of: place, owner: "a", regardless: true)
        let key = RedisArgument("starts:{\(place.group)/audience.bulk/3}")
        let left = try await redis.send(RedisCommand("PTTL", key)).integer ?? 0
        #expect(left > 0 && left <= MessageStartsBounds.memory.wholeMilliseconds)
        await store.close()
    }
}
