import PushModel
import RedisClient
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

/// One suite for every store: the guarantees of the retry index for schedulers.
@Suite(.timeLimit(.minutes(5))) struct RetryIndexTests {
    private static let shard = RetryShard(isFast: true, number: 1)
    private static let lease = Duration.seconds(60)

    @Test(arguments: StoreKind.allCases)
    func whatIsDueIsLeasedTheEarliestFirst(_ kind: StoreKind) async throws {
        try await kind.withIndex { index, time in
            let entries = [30, 10, 20, 40].map { RetryEntry(UInt32($0), after: .seconds($0), of: time) }
            try await index.add(entries, to: Self.shard)
            #expect(try await index.lease(upTo: 10, for: Self.lease, in: Self.shard).entries == [])
            time.advance(by: .seconds(30))
            let first = try await index.lease(upTo: 2, for: Self.lease, in: Self.shard)
            #expect(first.entries == [entries[1], entries[2]])
            #expect(first.taken == time.now)
            #expect(first.end == time.now + Self.lease)
            #expect(try await index.lease(upTo: 2, for: Self.lease, in: Self.shard).entries == [entries[0]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theSameOrderTwiceIsOneEntry(_ kind: StoreKind) async throws {
        try await kind.withIndex { index, time in
            let entry = RetryEntry(1, after: .zero, of: time)
            try await index.add([entry, entry], to: Self.shard)
            try await index.add([entry], to: Self.shard)
            #expect(try await index.outlook(of: Self.shard).depth == 1)
            let lease = try await index.lease(upTo: 10, for: Self.lease, in: Self.shard)
            #expect(lease.entries == [entry])
            try await index.complete(lease.entries, in: Self.shard)
            #expect(try await index.outlook(of: Self.shard).depth == 0)
        }
    }

    /// Goal: an order that its handler puts back for the same time, before its lease is completed, is not lost.
    @Test(arguments: StoreKind.allCases)
    func whatIsPutBackBeforeItIsCompletedStays(_ kind: StoreKind) async throws {
        try await kind.withIndex { (index, time) async throws in
            let entry = RetryEntry(1, after: .zero, of: time)
            try await index.add([entry], to: Self.shard)
            let lease = try await index.lease(upTo: 10, for: Self.lease, in: Self.shard)
            try await index.add([entry], to: Self.shard)
            try await index.complete(lease.entries, in: Self.shard)
            #expect(try await index.lease(upTo: 10, for: Self.lease, in: Self.shard).entries == [entry])
            try await index.add([entry], to: Self.shard)
            for depth in [1, 0] {
                try await index.complete([entry], in: Self.shard)
                #expect(try await index.outlook(of: Self.shard).depth == depth)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aLeaseThatDiesGivesItsEntriesBack(_ kind: StoreKind) async throws {
        try await kind.withIndex { index, time in
            let entry = RetryEntry(1, after: .zero, of: time)
            let later = RetryEntry(2, after: .seconds(30), of: time)
            try await index.add([entry, later], to: Self.shard)
            let dying = try await index.lease(upTo: 1, for: Self.lease, in: Self.shard)
            time.advance(by: Self.lease - .milliseconds(1))
            #expect(try await index.lease(upTo: 10, for: Self.lease, in: Self.shard).entries == [later])
            time.advance(by: .milliseconds(1))
            let second = try await index.lease(upTo: 10, for: Self.lease, in: Self.shard)
            #expect(second.entries == [entry])
            // The first holder returns entries it no longer holds: they stay with the second holder.
            try await index.giveBack(dying, in: Self.shard)
            #expect(try await index.lease(upTo: 10, for: Self.lease, in: Self.shard).entries == [])
            // But if the first holder reports them as completed, they are completed.
            try await index.complete(dying.entries, in: Self.shard)
            time.advance(by: Self.lease)
            #expect(try await index.lease(upTo: 10, for: Self.lease, in: Self.shard).entries == [later])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func whatIsGivenBackKeepsItsPlace(_ kind: StoreKind) async throws {
        try await kind.withIndex { index, time in
            let entries = (1...3).map { RetryEntry($0, after: .seconds(Int64($0)), of: time) }
            try await index.add(entries, to: Self.shard)
            time.advance(by: .seconds(3))
            let lease = try await index.lease(upTo: 2, for: Self.lease, in: Self.shard)
            try await index.complete([entries[1]], in: Self.shard)
            try await index.giveBack(lease, in: Self.shard)
            let again = try await index.lease(upTo: 10, for: Self.lease, in: Self.shard)
            #expect(again.entries == [entries[0], entries[2]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func theOutlookNamesWhatComesNext(_ kind: StoreKind) async throws {
        try await kind.withIndex { index, time in
            let empty = try await index.outlook(of: Self.shard)
            #expect(empty == RetryOutlook(depth: 0, next: nil, now: time.now))
            let start = time.now
            let entries = [RetryEntry(1, after: .seconds(5), of: time), RetryEntry(2, after: .seconds(90), of: time)]
            try await index.add(entries, to: Self.shard)
            #expect(try await index.outlook(of: Self.shard).untilNext == .seconds(5))
            time.advance(by: .seconds(6))
            #expect(try await index.outlook(of: Self.shard).untilNext == .zero)
            _ = try await index.lease(upTo: 10, for: Self.lease, in: Self.shard)
            // The lease that may expire is due before the second entry.
            let outlook = try await index.outlook(of: Self.shard)
            #expect(outlook == RetryOutlook(depth: 2, next: start + .seconds(66), now: time.now))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func shardsAndLanesDoNotMix(_ kind: StoreKind) async throws {
        try await kind.withIndex { index, time in
            for (number, shard) in RetryShard.all.enumerated() {
                try await index.add([RetryEntry(UInt32(number), after: .zero, of: time)], to: shard)
            }
            for (number, shard) in RetryShard.all.enumerated() {
                let lease = try await index.lease(upTo: 10, for: Self.lease, in: shard)
                #expect(lease.entries == [RetryEntry(UInt32(number), after: .zero, of: time)])
            }
        }
    }

    /// Goal: with concurrent callers each entry is in one lease. Method: more entries than one call may lease, eight
    /// callers that lease until nothing is left, and a check of what each one received.
    @Test(arguments: StoreKind.allCases)
    func eachEntryIsInOneLease(_ kind: StoreKind) async throws {
        try await kind.withIndex { index, time in
            let entries = (0..<1_000).map { RetryEntry(UInt32($0), after: .zero, of: time) }
            try await index.add(entries, to: Self.shard)
            let taken = try await withThrowingTaskGroup(of: [RetryEntry].self) { tasks in
                for _ in 0..<8 { tasks.addTask { try await Self.leaseAll(index) } }
                return try await tasks.reduce(into: []) { $0 += $1 }
            }
            #expect(taken.count == entries.count)
            #expect(Set(taken) == Set(entries))
            try await index.complete(taken, in: Self.shard)
            #expect(try await index.outlook(of: Self.shard).depth == 0)
        }
    }

    private static func leaseAll(_ index: any RetryIndex) async throws -> [RetryEntry] {
        var taken: [RetryEntry] = []
        while true {
            let lease = try await index.lease(upTo: 16, for: lease, in: shard)
            if lease.entries.isEmpty { return taken }
            taken += lease.entries
        }
    }

    @Test func timesNoStoreCanCountAreCut() {
        #expect(RetryEntry(due: Timestamp(milliseconds: .min), order: []).due == Timestamp(milliseconds: 0))
        let latest = RetryEntry(due: Timestamp(milliseconds: .max), order: []).due
        #expect(latest == Timestamp(milliseconds: 1 << 48 - 1))
    }

    @Test func ordersOfATaskAndSegmentHaveOneShard() {
        let (task, segment) = (TaskID(high: 1, low: .max), SegmentNumber(rawValue: 7))
        #expect(
            RetryShard(isFast: true, task: task, segment: segment)
                == RetryShard(isFast: true, task: task, segment: segment))
        let numbers = (0..<8).map { RetryShard(isFast: false, task: task, segment: SegmentNumber(rawValue: $0)).number }
        #expect(Set(numbers).count == RetryShard.count)
    }
}

/// Behavior specific to Redis.
@Suite(.timeLimit(.minutes(5))) struct RedisRetryIndexTests {
    private let shard = RetryShard(isFast: false, number: 0)

    /// Goal: senders can add retries and schedulers can complete them in a Redis that rejects all other writes.
    @Test func aFullRedisTakesRetriesAndLetsThemGo() async throws {
        let store = try await StoreFixture(.redis, ownership: .own)
        let (redis, time) = (try #require(try store.client()), store.time)
        let index = RedisRetryIndex(StoreConnection(redis), time: time)
        _ = try await redis.send(RedisCommand("CONFIG", "SET", "maxmemory", "1"))
        await #expect(throws: RedisError.self) { try await redis.send(RedisCommand("SET", "any", "thing")) }
        let entry = RetryEntry(1, after: .zero, of: time)
        try await index.add([entry], to: shard)
        let lease = try await index.lease(upTo: 1, for: .seconds(1), in: shard)
        try await index.giveBack(lease, in: shard)
        #expect(try await index.lease(upTo: 1, for: .seconds(1), in: shard).entries == [entry])
        try await index.complete([entry], in: shard)
        #expect(try await index.outlook(of: shard).depth == 0)
    }

    @Test func withoutAClockTheServersOwnCounts() async throws {
        let store = try await StoreFixture(.redis, ownership: .own)
        let index = RedisRetryIndex(StoreConnection(try #require(try store.client())))
        let now = SystemTimeSource().now
        let due = RetryEntry(due: now + .seconds(-60), order: [1])
        try await index.add([due, RetryEntry(due: now + .seconds(3_600), order: [2])], to: shard)
        #expect(try await index.lease(upTo: 10, for: .seconds(60), in: shard).entries == [due])
    }
}
