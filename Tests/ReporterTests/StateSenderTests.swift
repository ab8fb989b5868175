import Bus
import HTTPServer
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

/// The service that posts states, with an outbox in memory.
@Suite(.timeLimit(.minutes(5))) struct StateSenderTests {
    private func withSender(_ fixture: StateFixture, body: () async throws -> Void) async throws {
        let sender = StateSender(
            fixture.base.outbox, poster: try await fixture.poster(), hold: ReporterFixture.lease,
            interval: ReporterParts.interval)
        try await withCleanup({ await fixture.close() }) { try await withRunning([sender], body: body) }
    }

    private func append(_ count: Int, to fixture: StateFixture, app: AppID) {
        let high = Samples.freshTask().high
        for number in 0..<count {
            let task = TaskID(high: high, low: UInt64(number))
            let subject = OutboxSubject(.message(task), of: app)
            let record = OutboxRecord(of: subject, head: [], end: fixture.base.time.now + .seconds(60))
            let state = OutboxState("pending", bytes: Array(#"{"n":\#(number)}"#.utf8))
            _ = fixture.base.outbox.append([state], of: record)
            fixture.wakeup.wake(for: subject.queue.shard)
        }
    }

    /// Goal: an endpoint that never answers delays no other app. Method: it holds all that it may hold; another app's
    /// states are then posted without the clock being advanced, as they wake the sender.
    @Test func anEndpointThatHangsDelaysNoOtherApp() async throws {
        let fixture = try StateFixture()
        let (hanging, working) = (try Endpoint([]), try Endpoint([HTTPResponse(.ok)]))
        let other = Samples.freshApp()
        fixture.setWebhook(hanging)
        fixture.setWebhook(working, of: other)
        try await withSender(fixture) {
            append(40, to: fixture, app: fixture.base.app)
            #expect(await hanging.hasPosts(OutboxShard.count))
            append(40, to: fixture, app: other)
            #expect(await working.hasPosts(OutboxShard.count))
            #expect(hanging.posts.count == OutboxShard.count)
            await hanging.stop()
        }
        await working.stop()
    }

    /// Goal: a shard goes on as soon as its batch is told. Method: more than one batch in one shard; the clock stands.
    @Test func batchesFollowOneAnother() async throws {
        let fixture = try StateFixture()
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        fixture.setWebhook(endpoint)
        append(3 * OutboxShard.count * OutboxBounds.batchStatesMaximum, to: fixture, app: fixture.base.app)
        try await withSender(fixture) {
            #expect(await endpoint.hasPosts(3 * OutboxShard.count))
        }
        #expect(fixture.states("delivered") == 3 * OutboxShard.count * OutboxBounds.batchStatesMaximum)
        await endpoint.stop()
    }

    /// Goal: what waits behind an endpoint that accepts nothing is bounded, and is on `dead`. Method: a queue that may
    /// have one byte.
    @Test func aCrowdedQueueIsGivenUp() async throws {
        let fixture = try StateFixture(queueBytesMaximum: 1)
        let endpoint = try Endpoint([HTTPResponse(.ok)])
        fixture.setWebhook(endpoint)
        append(OutboxShard.count * (2 * OutboxBounds.batchStatesMaximum), to: fixture, app: fixture.base.app)
        try await withSender(fixture) { #expect(await endpoint.hasPosts(OutboxShard.count)) }
        let letters = try await fixture.letters()
        #expect(letters.count == OutboxShard.count && letters.allSatisfy { $0.detail.contains("too many states") })
        #expect(fixture.states("given_up") == OutboxShard.count * OutboxBounds.batchStatesMaximum)
        await endpoint.stop()
    }
}
