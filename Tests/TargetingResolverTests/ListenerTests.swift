import Bus
import JSONKit
import LocalTime
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import TargetingResolver

/// Goal: listeners are shown every task for all subscribers of a topic, in the texts of the push, and no other task.
@Suite struct ListenerTests {
    private static let sports = Audience.topic(ListenerTests.topic("sports"))
    private static let news = Audience.topic(ListenerTests.topic("news"))
    private static let ios = Audience.filter(.platform(.ios))

    private static func topic(_ name: String) -> TopicName {
        guard let topic = try? TopicName(name) else { preconditionFailure("invalid topic") }
        return topic
    }

    private func events(_ fixture: ResolverFixture) throws -> [ListenerEvent] {
        try fixture.bus.messages(Topics.events.channel).map { try ListenerEvent(decoding: $0.value) }
    }

    @Test(arguments: [
        (sports, ["sports"]), (.any([sports, news]), ["sports", "news"]), (.everyone, ["broadcast"]),
        (.any([.everyone, sports]), ["sports", "broadcast"]), (.any([sports, ios]), ["sports"]),
        (.any([sports, .all([news, ios])]), ["sports"]), (.all([sports, .any([sports, news])]), ["sports"]),
        (.all([sports, news]), []), (.all([sports, ios]), []), (.all([sports, .not(news)]), []),
        (.not(.not(sports)), []), (ios, []), (.not(sports), []),
    ])
    func aTaskIsShownForTopicsAllOfWhoseSubscribersItIsFor(audience: Audience, names: [String]) async throws {
        let fixture = try ResolverFixture()
        fixture.post(fixture.task(1, audience: audience))
        try await fixture.run()
        #expect(try events(fixture).map { $0.topics.map(\.text) } == (names.isEmpty ? [] : [names]))
    }

    @Test func aTaskForSomeIsNotShown() async throws {
        let fixture = try ResolverFixture()
        let device = try await fixture.place(0, offset: 1)
        fixture.post(fixture.task(1, audience: Self.sports, list: .entries([.device(device)])))
        fixture.post(fixture.task(2, audience: Self.sports, platforms: [.ios]))
        var local = fixture.task(3, audience: Self.sports)
        local.rules.localTime = LocalDateTime("2026-12-24T09:00")
        fixture.post(local)
        fixture.post(fixture.task(4, audience: nil, list: .entries([.device(device)])))
        fixture.post(fixture.task(5, audience: Self.sports).withdrawn)
        let cancelled = fixture.task(6, audience: Self.sports)
        _ = try await fixture.ledger.cancel(
            cancelled.id, in: SegmentID(fixture.app, number: SegmentNumber(rawValue: 0)))
        fixture.post(cancelled)
        var payload = fixture.task(7, audience: Self.sports)
        payload.content.message = nil
        payload.content.payloads = [.ios: JSONObject()]
        fixture.post(payload)
        fixture.post(fixture.task(8, audience: Self.sports))
        try await fixture.run()
        #expect(try events(fixture).map(\.task) == [TaskID(high: 3, low: 8)])
    }

    @Test func aLateTaskIsNotShown() async throws {
        let fixture = try ResolverFixture()
        fixture.post(fixture.task(1, audience: Self.sports))
        fixture.time.advance(by: .seconds(3_601))
        try await fixture.run()
        #expect(try events(fixture).isEmpty)
    }

    @Test func textsAreThoseOfThePush() async throws {
        let fixture = try ResolverFixture()
        var task = fixture.task(1, audience: Self.sports)
        task.content.message?.title = LocalizedText("${var.team} wins", translations: ["fr": "${var.team} gagne"])
        task.content.message?.data = JSONObject([("match", .integer(17))])
        task.content.variables = ["team": "Bern"]
        fixture.post(task)
        try await fixture.run()
        let event = try #require(try events(fixture).first)
        #expect(event.title == LocalizedText("Bern wins", translations: ["fr": "Bern gagne"]))
        #expect(event.body == nil && event.data == task.content.message?.data && event.app == fixture.app)
    }

    @Test func whatCannotBeShownIsCountedAndPushed() async throws {
        let fixture = try ResolverFixture()
        let index = try await fixture.place(0, offset: 1, on: [Self.topic("sports"): []]).index
        var large = fixture.task(1, audience: Self.sports)
        large.content.message?.data = JSONObject([
            ("x", .string(String(repeating: "x", count: ListenerEvent.bytesMaximum)))
        ])
        var unrenderable = fixture.task(2, audience: Self.sports)
        unrenderable.content.message?.body = LocalizedText("${var.missing}")
        for task in [large, unrenderable] { fixture.post(task) }
        try await fixture.run()
        #expect(try events(fixture).isEmpty)
        for task in [large, unrenderable] { #expect(try fixture.sent(task) == [index]) }
        for reason in ["oversized", "unrenderable"] {
            let counter = fixture.metrics.counter(.resolverEventsOmitted, labels: ["reason": reason])
            #expect(counter.value == 1, "\(reason)")
        }
    }

    /// Method: the resolver dies after each of its steps; whatever happens, the task is shown at least once.
    @Test(arguments: [1, 1_200]) func aDeathLosesNoEvent(devices: Int) async throws {
        var isWhole = false
        for step in 0..<200 where !isWhole {
            let fixture = try ResolverFixture()
            for device in 0..<devices {
                try await fixture.place(0, offset: UInt16(device), on: [Self.topic("sports"): []])
            }
            fixture.post(fixture.task(1, audience: Self.sports))
            fixture.lifeline.end(after: step)
            var hasDied = false
            try await fixture.run { hasDied = true }
            isWhole = !hasDied
            let tasks = Set(try events(fixture).map(\.task))
            #expect(tasks == [TaskID(high: 3, low: 1)], "died after \(step) steps")
        }
        #expect(isWhole)
    }
}
