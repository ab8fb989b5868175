import Bus
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TestSupport
import Testing
import Topics

@testable import Scheduler

/// The scheduler's retries end to end, with a bus and stores in memory.
@Suite(.timeLimit(.minutes(5))) struct RetryServiceTests {
    /// Goal: each order is released when it is due and not before. Method: three devices are ordered out of sequence
    /// while the releasers sleep; the clock is advanced from one due time to the next.
    @Test func devicesAreReleasedWhenTheyAreDue() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(3)
        let start = fixture.time.now
        // Sooner than a releaser looks again by itself.
        func tenths(_ count: Int) -> Duration { EntryReleaser.jobRestMaximum / 5 * count }
        try await fixture.withScheduler {
            #expect(await fixture.isAtRest())
            for (id, pause) in zip(ids, [3, 1, 2]) { try await fixture.order([id], after: tenths(pause)) }
            #expect(await fixture.index.hasAdded(3))
            for (moment, place) in [(1, 1), (2, 2), (3, 0)] {
                #expect(await fixture.sleeps(until: start + tenths(moment)))
                #expect(try await fixture.released().count == moment - 1)
                fixture.time.advance(by: tenths(1))
                #expect(await fixture.index.hasCompleted(moment))
                #expect(try await fixture.released().last == ids[place].index)
            }
        }
    }

    @Test func theRecordAndTheLaneGoOn() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(1)
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero, lane: .fast)
            #expect(await fixture.index.hasCompleted(1))
        }
        var chunks: [AudienceChunk] = []
        try await fixture.bus.scan(Topics.audience.channel(.fast)) { message in
            chunks.append(try AudienceChunk(decoding: message.value))
            return true
        }
        let chunk = try #require(chunks.first)
        #expect(chunk.task == fixture.task)
        #expect(chunk.attempt == 1)
        #expect(chunk.segments[0].device(at: 0)?.tag == ids[0].tag)
        #expect(try await fixture.released(.bulk).isEmpty)
    }

    /// Goal: an order that can never be released does not block those behind it. Method: an order of an unreadable
    /// segment is due first, in the shard of a readable one.
    @Test func anOrderThatCannotBeReleasedKeepsNoOthers() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(1)
        let lost = SegmentNumber(rawValue: ids[0].index.segment.rawValue + UInt32(RetryShard.count))
        fixture.registry.corrupt(lost)
        try await fixture.order(
            [DeviceID(index: DeviceIndex(segment: lost, offset: 0), tag: 1)], after: .seconds(-1))
        try await fixture.order(ids, after: .zero)
        try await fixture.withScheduler {
            #expect(await fixture.index.hasCompleted(1))
            let released = try await fixture.released()
            #expect(released == [ids[0].index])
        }
    }

    /// Goal: devices of a segment that the registry has lost delay no others, and are retried when it is restored.
    /// Method: before the order of another segment, more orders of the lost one are due than a lease holds.
    @Test func aLostSegmentKeepsNoOthers() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(1)
        let lost = SegmentNumber(rawValue: ids[0].index.segment.rawValue + UInt32(RetryShard.count))
        fixture.registry.lose(lost)
        let count = RetryRelease.entriesMaximum + 1
        for offset in 0..<count {
            let id = DeviceID(index: DeviceIndex(segment: lost, offset: UInt16(offset)), tag: 1)
            try await fixture.order([id], after: .seconds(-1))
        }
        try await fixture.order(ids, after: .zero)
        let again = fixture.time.now + RetryRelease.lostPause
        try await fixture.withScheduler {
            #expect(await fixture.index.hasCompleted(count + 1))
            let released = try await fixture.released()
            #expect(released == [ids[0].index])
            #expect(await fixture.isAtRest())
            // The waiting orders end with their task.
            fixture.registry.lose(lost, isLost: false)
            while fixture.time.now < again {
                #expect(await fixture.isAtRest())
                fixture.time.advance(by: EntryReleaser.restMaximum)
            }
            #expect(await fixture.index.hasCompleted(2 * count + 1))
        }
    }

    /// Goal: each order is released once, however many schedulers run. Method: three share the index; all orders are
    /// due at the moment at which every releaser wakes.
    @Test func severalSchedulersReleaseEachOnce() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(600)
        try await fixture.withScheduler {
            try await fixture.withScheduler {
                try await fixture.withScheduler {
                    for id in ids { try await fixture.order([id], after: EntryReleaser.restMaximum) }
                    #expect(await fixture.index.hasAdded(600))
                    #expect(await fixture.isAtRest(schedulers: 3))
                    fixture.time.advance(by: EntryReleaser.restMaximum)
                    #expect(await fixture.index.hasCompleted(600))
                }
            }
        }
        let released = try await fixture.released()
        #expect(released.count == 600)
        #expect(Set(released) == Set(ids.map(\.index)))
    }

    /// Goal: orders leased by a dead scheduler are released. Method: a lease that is never completed, and a scheduler
    /// that starts after it was taken.
    @Test func aDeadLeaseComesBack() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(1)
        let order = RetryOrder(
            task: fixture.task, segment: SegmentID(fixture.app, number: ids[0].index.segment), provider: .apns,
            attempt: 1,
            due: fixture.time.now.milliseconds,
            devices: [RetryOrder.Device(offset: ids[0].index.offset, tag: ids[0].tag, isSilent: false)])
        let shard = RetryShard(isFast: false, task: order.task, segment: order.segment.number)
        fixture.index.add([RetryEntry(order)], to: shard)
        let dead = fixture.index.lease(upTo: 1, for: SchedulerFixture.lease, in: shard)
        #expect(dead.entries.count == 1)
        try await fixture.withScheduler {
            for _ in 0..<6 {
                #expect(await fixture.isAtRest())
                let early = try await fixture.released()
                #expect(early == [])
                fixture.time.advance(by: EntryReleaser.restMaximum)
            }
            #expect(await fixture.index.hasCompleted(1))
        }
        #expect(try await fixture.released() == [ids[0].index])
    }

    @Test func removedDevicesEndAsSuppressed() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(3)
        fixture.wait(ids)
        for id in ids.dropFirst() { #expect(try await fixture.registry.store.remove(id, in: fixture.app)) }
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.index.hasCompleted(1))
        }
        #expect(try await fixture.released() == [ids[0].index])
        #expect(fixture.states() == [.waiting: 1, .suppressed: 2])
        let results = try await fixture.results()
        for id in ids.dropFirst() {
            #expect(results.contains("\"id\":\"\(fixture.task)/\(id)\""))
        }
        #expect(results.contains(#""provider":"apns","state":"suppressed","attempt":1,"status":0,"reason":"removed""#))
        #expect(!results.contains("\(ids[0])"))
        let place = SegmentID(fixture.app, number: ids[1].index.segment)
        #expect(
            fixture.ledger.detail(of: ids[1].index.offset, task: fixture.task, in: place)?.reason == "removed")
    }

    /// Goal: a removed device that a sender still holds is neither taken from the sender nor lost. Method: it is
    /// claimed when its order is due, and settled before the order is checked again.
    @Test func aRemovedDeviceThatASenderHoldsIsLookedAtAgain() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(1)
        let (offset, place) = (ids[0].index.offset, SegmentID(fixture.app, number: ids[0].index.segment))
        let claim = ClaimID(owner: 5, number: 5)
        let request = ClaimRequest(id: claim, offsets: [offset], attempt: 1, lease: .seconds(90), countsBadge: false)
        _ = fixture.ledger.claim(request, of: fixture.task, in: place)
        #expect(try await fixture.registry.store.remove(ids[0], in: fixture.app))
        try await fixture.withScheduler {
            let again = fixture.time.now + RetryRelease.heldPause
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.sleeps(until: again))
            #expect(fixture.states() == [.claimed: 1])
            let end = Settlement.Group(offsets: [offset], state: .delivered, attempt: 1)
            _ = fixture.ledger.settle(Settlement(claim: claim, groups: [end]), of: fixture.task, in: place)
            fixture.time.advance(by: RetryRelease.heldPause)
            #expect(await fixture.index.hasCompleted(2))
        }
        #expect(fixture.states() == [.delivered: 1])
        #expect(try await fixture.results().contains(#""state":"delivered""#))
        #expect(try await fixture.released().isEmpty)
    }

    /// Goal: a release waits for room, while retries are still accepted and the fast lane is not delayed. Method:
    /// `audience.bulk` is full of unread messages; then they are read.
    @Test func aReleaseWaitsForRoomDownstream() async throws {
        let fixture = try SchedulerFixture(bytesMaximum: 1_000)
        let ids = try await fixture.begin(3)
        let channel = Topics.audience.channel(.bulk)
        let reader = try await fixture.bus.makeConsumer(ConsumerOptions(channel: channel, group: "renderer"))
        let producer = try await fixture.bus.makeProducer(ProducerOptions())
        try await producer.send([
            OutgoingMessage(channel: channel, key: nil, value: [UInt8](repeating: 0, count: 1_000))
        ])
        try await fixture.withScheduler {
            try await fixture.order([ids[0]], after: .zero)
            try await fixture.order([ids[1]], after: .zero)
            #expect(await fixture.index.hasAdded(2))
            try await fixture.order([ids[2]], after: .zero, lane: .fast)
            #expect(await fixture.index.hasCompleted(1))
            #expect(try await fixture.released(.fast) == [ids[2].index])
            let blocking = try #require(await reader.next())
            #expect(blocking.messages.count == 1)
            reader.complete(blocking)
            #expect(await fixture.index.hasCompleted(3))
        }
        var seen: [DeviceIndex] = []
        while seen.count < 2 {
            let delivery = try #require(await reader.next())
            seen += try delivery.messages.flatMap { try AudienceChunk(decoding: $0.value).indices }
            reader.complete(delivery)
        }
        #expect(seen.sorted() == ids[0...1].map(\.index).sorted())
    }

    /// Goal: orders survive an unavailable registry. Method: it refuses until the releaser has tried twice.
    @Test func retriesWaitForTheRegistry() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(2)
        fixture.registry.shut(true)
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.registry.hasRefused(1))
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(1))
            #expect(await fixture.registry.hasRefused(2))
            fixture.registry.shut(false)
            #expect(await fixture.isAtRest())
            fixture.time.advance(by: .seconds(1))
            #expect(await fixture.index.hasCompleted(1))
        }
        #expect(Set(try await fixture.released()) == Set(ids.map(\.index)))
    }

    @Test func aLargeOrderBecomesSeveralEntries() async throws {
        let fixture = try SchedulerFixture()
        let ids = try await fixture.begin(RetryIntake.devicesMaximum * 2 + 1)
        try await fixture.withScheduler {
            try await fixture.order(ids, after: .zero)
            #expect(await fixture.index.hasCompleted(3))
        }
        #expect(Set(try await fixture.released()) == Set(ids.map(\.index)))
    }
}
