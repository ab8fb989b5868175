import MemoryStore
import PushModel
import RedisStore
import ServiceKit
import Store
import TestSupport
import Testing

@testable import Simulation

/// One suite for every store: the guarantees of the outbox for reporters.
@Suite(.timeLimit(.minutes(5))) struct StateOutboxTests {
    private static let lease = Duration.seconds(60)

    private func withOutbox(
        _ kind: StoreKind, queueBytesMaximum: Int = OutboxBounds.queueBytesMaximum,
        body: (_ outbox: any StateOutbox, _ fixture: StoreFixture) async throws -> Void
    ) async throws {
        // Redis expires keys by its own clock. Apps that are due are those of the whole store.
        let time = ManualTimeSource(now: SystemTimeSource().now)
        try await kind.withFixture(.own, time: time) { fixture in
            let outbox: any StateOutbox = try fixture.store(
                memory: { MemoryStateOutbox(time: $0, queueBytesMaximum: queueBytesMaximum) },
                redis: { RedisStateOutbox($0, time: $1, queueBytesMaximum: queueBytesMaximum) },
                simulated: {
                    SimulatedStateOutbox(
                        base: MemoryStateOutbox(time: $0, queueBytesMaximum: queueBytesMaximum), seam: $1)
                })
            try await body(outbox, fixture)
        }
    }

    /// A message of the first shard, with this number.
    private func message(_ number: UInt64, _ fixture: StoreFixture, app: AppID? = nil) -> OutboxRecord {
        let task = TaskID(high: 9, low: number * UInt64(OutboxShard.count))
        return OutboxRecord(
            of: OutboxSubject(.message(task), of: app ?? fixture.app), head: Array(#"{"number":\#(number)}"#.utf8),
            end: fixture.time.now + .seconds(3_600))
    }

    private func device(tag: UInt32, _ fixture: StoreFixture, app: AppID? = nil) -> OutboxRecord {
        let id = DeviceID(index: DeviceIndex(rawValue: 1), tag: tag)
        return OutboxRecord(
            of: OutboxSubject(.device(id), of: app ?? fixture.app), head: Array("eligible".utf8),
            end: fixture.time.now + .seconds(3_600))
    }

    private func state(_ name: String, size: Int = 0) -> OutboxState {
        OutboxState(name, bytes: Array("\"\(name)\(String(repeating: "x", count: size))\"".utf8))
    }

    private func text(_ batch: OutboxBatch?) -> String? { batch.map { String(decoding: $0.body, as: UTF8.self) } }

    @Test(arguments: StoreKind.allCases)
    func statesAreAppendedOnceInTheirOrder(_ kind: StoreKind) async throws {
        try await withOutbox(kind) { (outbox, fixture) async throws in
            let first = message(1, fixture)
            let began = fixture.time.now
            #expect(try await outbox.append([state("pending")], of: first) == 1)
            fixture.time.advance(by: .seconds(3))
            #expect(try await outbox.append([state("pending"), state("delivered")], of: first) == 1)
            #expect(try await outbox.append([state("pending"), state("delivered")], of: first) == 0)
            #expect(try await outbox.append([state("pending")], of: message(2, fixture)) == 1)
            #expect(try await outbox.head(of: first.subject) == first.head)
            #expect(try await outbox.head(of: message(3, fixture).subject) == nil)
            let batch = try await outbox.batch(of: first.queue, proposing: "a")
            #expect(text(batch) == #"["pending","delivered","pending"]"#)
            #expect(batch?.count == 3 && batch?.since == began && batch?.isCrowded == false)
        }
    }

    /// Goal: what is posted again is the same, whatever was appended meanwhile and whichever process asks.
    @Test(arguments: StoreKind.allCases)
    func aBatchStaysTheSameUntilItIsFinished(_ kind: StoreKind) async throws {
        try await withOutbox(kind) { (outbox, fixture) async throws in
            let first = message(1, fixture)
            _ = try await outbox.append([state("a")], of: first)
            let batch = try #require(try await outbox.batch(of: first.queue, proposing: "one"))
            _ = try await outbox.append([state("b")], of: first)
            #expect(try await outbox.batch(of: first.queue, proposing: "two") == batch)
            try await outbox.finish("two", of: first.queue)
            #expect(try await outbox.batch(of: first.queue, proposing: "three") == batch)
            try await outbox.finish("one", of: first.queue)
            let next = try await outbox.batch(of: first.queue, proposing: "four")
            #expect(next?.id == "four" && text(next) == #"["b"]"#)
            try await outbox.finish("four", of: first.queue)
            #expect(try await outbox.batch(of: first.queue, proposing: "five") == nil)
            // A state is not told again after it was told.
            #expect(try await outbox.append([state("a"), state("b")], of: first) == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func queuesAreLeasedWhenTheyAreDue(_ kind: StoreKind) async throws {
        try await withOutbox(kind) { (outbox, fixture) async throws in
            let other = Samples.freshApp()
            let (mine, theirs) = (message(1, fixture), message(2, fixture, app: other))
            let shard = mine.queue.shard
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [])
            _ = try await outbox.append([state("a")], of: mine)
            fixture.time.advance(by: .seconds(1))
            _ = try await outbox.append([state("a")], of: theirs)
            #expect(try await outbox.take(from: shard, upTo: 1, for: Self.lease) == [mine.queue])
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [theirs.queue])
            // More states do not shorten a lease.
            _ = try await outbox.append([state("b")], of: mine)
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [])
            fixture.time.advance(by: Self.lease)
            #expect(Set(try await outbox.take(from: shard, upTo: 9, for: Self.lease)) == [mine.queue, theirs.queue])

            _ = try await outbox.batch(of: mine.queue, proposing: "one")
            try await outbox.postpone("other", of: mine.queue, until: fixture.time.now)
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [])
            try await outbox.postpone("one", of: mine.queue, until: fixture.time.now + .seconds(5))
            fixture.time.advance(by: .seconds(5))
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [mine.queue])
            _ = try await outbox.append([state("c")], of: mine)
            try await outbox.finish("one", of: mine.queue)
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [mine.queue])
            _ = try await outbox.batch(of: mine.queue, proposing: "two")
            try await outbox.finish("two", of: mine.queue)
            try await outbox.clear(theirs.queue)
            fixture.time.advance(by: Self.lease)
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [])
            #expect(try await outbox.batch(of: theirs.queue, proposing: "three") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aBatchHasBounds(_ kind: StoreKind) async throws {
        try await withOutbox(kind) { (outbox, fixture) async throws in
            let first = message(1, fixture)
            let count = OutboxBounds.batchStatesMaximum + 1
            _ = try await outbox.append((0..<count).map { state("\($0)") }, of: first)
            #expect(try await outbox.batch(of: first.queue, proposing: "a")?.count == count - 1)
            try await outbox.finish("a", of: first.queue)
            #expect(text(try await outbox.batch(of: first.queue, proposing: "b")) == #"["100"]"#)
            try await outbox.finish("b", of: first.queue)

            let large = OutboxBounds.batchBytesMaximum
            _ = try await outbox.append(
                [state("l", size: large), state("m"), state("n", size: large - 10), state("o")], of: first)
            // The second and the third have exactly as many bytes together as a batch may have.
            for (id, count) in [("c", 1), ("d", 2), ("e", 1)] {
                #expect(try await outbox.batch(of: first.queue, proposing: id)?.count == count)
                try await outbox.finish(id, of: first.queue)
            }
            #expect(try await outbox.batch(of: first.queue, proposing: "g") == nil)
        }
    }

    /// Goal: what waits behind an endpoint that accepts nothing is bounded. Method: a queue that may have 40 bytes, is
    /// postponed, and gets more.
    @Test(arguments: StoreKind.allCases)
    func aQueueThatIsTooLongIsDueAtOnce(_ kind: StoreKind) async throws {
        try await withOutbox(kind, queueBytesMaximum: 40) { (outbox, fixture) async throws in
            let first = message(1, fixture)
            let shard = first.queue.shard
            _ = try await outbox.append([state("a", size: 100)], of: first)
            _ = try await outbox.take(from: shard, upTo: 9, for: Self.lease)
            #expect(try await outbox.batch(of: first.queue, proposing: "one")?.isCrowded == false)
            try await outbox.postpone("one", of: first.queue, until: fixture.time.now + .seconds(600))
            _ = try await outbox.append([state("b", size: 20)], of: first)
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [])
            _ = try await outbox.append([state("c", size: 20)], of: first)
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [first.queue])
            #expect(try await outbox.batch(of: first.queue, proposing: "two")?.isCrowded == true)
            _ = try await outbox.append([state("d", size: 20)], of: first)
            #expect(try await outbox.take(from: shard, upTo: 9, for: Self.lease) == [])
            try await outbox.finish("one", of: first.queue)
            let rest = try await outbox.batch(of: first.queue, proposing: "three")
            #expect(rest?.count == 3 && rest?.isCrowded == false)
        }
    }

    /// Goal: a request has messages or devices, never both. Method: a message and devices of one app and shard.
    @Test(arguments: StoreKind.allCases)
    func messagesAndDevicesHaveQueuesOfTheirOwn(_ kind: StoreKind) async throws {
        try await withOutbox(kind) { (outbox, fixture) async throws in
            let (message, first) = (message(1, fixture), device(tag: 8, fixture))
            let (second, foreign) = (device(tag: 16, fixture), device(tag: 8, fixture, app: Samples.freshApp()))
            #expect(Set([message, first, second, foreign].map(\.queue.shard)).count == 1)
            #expect(first.queue == second.queue && first.queue != message.queue && first.queue != foreign.queue)
            for record in [message, first, second, foreign] {
                #expect(try await outbox.append([state("eligible"), state("eligible")], of: record) == 1)
            }
            #expect(try await outbox.append([state("eligible"), state("ineligible")], of: first) == 1)
            #expect(try await outbox.head(of: first.subject) == first.head)
            #expect(try await outbox.head(of: device(tag: 24, fixture).subject) == nil)
            let taken = try await outbox.take(from: first.queue.shard, upTo: 9, for: Self.lease)
            #expect(Set(taken) == [message.queue, first.queue, foreign.queue])
            let batch = try await outbox.batch(of: first.queue, proposing: "one")
            #expect(text(batch) == #"["eligible","eligible","ineligible"]"#)
            try await outbox.finish("one", of: first.queue)
            #expect(try await outbox.batch(of: first.queue, proposing: "two") == nil)
            #expect(text(try await outbox.batch(of: message.queue, proposing: "three")) == #"["eligible"]"#)
            #expect(text(try await outbox.batch(of: foreign.queue, proposing: "four")) == #"["eligible"]"#)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aMessageIsForgottenAtItsEnd(_ kind: StoreKind) async throws {
        try await withOutbox(kind) { (outbox, fixture) async throws in
            let over = OutboxRecord(
                of: message(0, fixture).subject, head: [1], end: fixture.time.now + .seconds(-1))
            #expect(try await outbox.append([state("a")], of: over) == 1)
            #expect(try await outbox.head(of: over.subject) == nil)
            #expect(text(try await outbox.batch(of: over.queue, proposing: "one")) == #"["a"]"#)
        }
    }
}

extension OutboxRecord {
    fileprivate var queue: OutboxQueue { subject.queue }
}
