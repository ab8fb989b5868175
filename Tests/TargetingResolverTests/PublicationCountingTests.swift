import Bus
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Publications to a topic, counted before they are planned.
@Suite(.timeLimit(.minutes(5))) struct PublicationCountingTests {
    private let news: TopicName

    init() throws {
        news = try TopicName("news")
    }

    private func publications(_ fixture: ResolverFixture) async throws -> Int64? {
        try await fixture.registry.figures(of: news, in: fixture.app)?.count.publications
    }

    @Test func onlyExactlyTheTopicCounts() async throws {
        let fixture = try ResolverFixture()
        let id = try await fixture.place(0, offset: 1, on: [news: []])
        let other = try TopicName("other")
        fixture.post(fixture.task(1, audience: .topic(news)))
        fixture.post(fixture.task(2, audience: .all([.topic(news), .everyone])))
        fixture.post(fixture.task(3, audience: .topic(news), list: .entries([.device(id)])))
        fixture.post(fixture.task(4, audience: .everyone))
        fixture.post(fixture.task(5, audience: .topic(other)))
        fixture.post(fixture.task(6, audience: .topic(news)).withdrawn)
        try await fixture.run()
        #expect(try await publications(fixture) == 1)
        #expect(try await fixture.registry.figures(of: other, in: fixture.app) == nil)
    }

    /// Goal: the same task in another message counts once: of the scheduler, of a request with a key, of a replay, and
    /// of a rebuild, which counts it itself.
    @Test func aRepeatedTaskCountsOnce() async throws {
        let fixture = try ResolverFixture()
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        var scheduled = fixture.task(1, audience: .topic(news))
        scheduled.sendAt = fixture.time.now
        var keyed = PushTask(id: TaskID(high: 0x8000, low: 2), app: fixture.app, created: fixture.time.now)
        (keyed.target, keyed.content, keyed.options) = (scheduled.target, scheduled.content, scheduled.options)
        let replayed = fixture.task(3, audience: .topic(news))
        for task in [scheduled, keyed, replayed, scheduled, keyed] { fixture.post(task) }
        try await fixture.run()
        #expect(try await publications(fixture) == 3)
        fixture.time.advance(by: .seconds(61))
        fixture.post(replayed)
        fixture.post(keyed)
        let again = fixture.task(4, audience: .topic(news))
        fixture.bus.append([
            OutgoingMessage(
                channel: Topics.tasks.channel, key: Topics.key(again.id), value: TaskMessage.task(again).encoded(),
                headers: [Publication.countedHeader])
        ])
        try await fixture.run()
        #expect(try await publications(fixture) == 3)
        #expect(try fixture.sent(again).count == 1)
    }

    /// Goal: wherever a resolver is killed, each publication counts once. Method: it is killed at every step, each a
    /// command of Redis or a moment before or after a send, one task after the other, and another takes over.
    @Test func aKilledResolverNeitherLosesNorRepeats() async throws {
        let server = try await RedisServer(.forStores)
        let fixture = try await ResolverFixture(server)
        _ = try await fixture.place(0, offset: 1, on: [news: []])
        var (posted, deaths, steps) = (0, 0, 0)
        while true {
            var hasDied = false
            posted += 1
            var task = fixture.task(UInt64(posted), audience: .topic(news))
            if posted.isMultiple(of: 2) { task.sendAt = fixture.time.now }
            fixture.post(task)
            fixture.lifeline.begin()
            fixture.lifeline.end(after: steps)
            try await fixture.run { hasDied = true }
            fixture.lifeline.begin()
            #expect(try await publications(fixture) == Int64(posted), "killed after \(steps) steps")
            if !hasDied { break }
            deaths += 1
            steps += 1
        }
        #expect(deaths > 8)
    }
}
