import Bus
import JSONKit
import MemoryBus
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

@Suite struct ChannelRegistrationTests {
    private let fixture: ReporterFixture
    private let activity: ActivityID
    private let production: PushToken
    private let sandbox: PushToken

    init() throws {
        fixture = try ReporterFixture()
        activity = try ActivityID("match-1")
        production = try PushToken(.channel, text: "cHJvZA==")
        sandbox = try PushToken(.channel, text: "c2FuZGJveA==")
    }

    private var space: AppID { fixture.app.activities }
    private var book: ActivityBook { ActivityBook(fixture.registry, time: fixture.time) }

    /// As a new process would have it.
    private func registration() async throws -> ChannelRegistration {
        ChannelRegistration(
            registry: fixture.registry, archive: fixture.archive,
            producer: CutProducer(try await fixture.bus.makeProducer(ProducerOptions()), scissors: fixture.scissors),
            time: fixture.time)
    }

    /// Does the work of ingest: stores the activity, and the task that starts it.
    private func begin(_ number: UInt64 = 1, feed: ActivityBase.Feed = .channel) async throws -> PushTask {
        var base = ActivityBase()
        base.feed = feed
        base.isStarted = true
        let task = try fixture.begin(number, devices: []) { task in
            var content = ActivityContent(.start, of: activity)
            content.feed = feed
            content.timestamp = 5
            task.content.activity = content
        }
        try await book.begin(activity, base: base, state: nil, timestamp: 5, in: space)
        return task
    }

    /// Does the work of a sender.
    private func make(_ channel: PushToken, in environment: Device.Environment) throws {
        let place = ChannelPlace(activity, in: environment)
        #expect(try fixture.registry.replace(nil, by: .open(channel), of: place, in: space))
    }

    private func started(
        _ task: PushTask, state: DeliveryState = .delivered, provider: PushProtocol = .liveActivity, app: AppID? = nil
    ) -> [ResultBatch] {
        let device = DeviceID(index: DeviceIndex(rawValue: 7), tag: 7)
        let result = DeviceResult(device: device, provider: provider, state: state, attempt: 0, status: 200, reason: "")
        return [ResultBatch(task: task.id, app: app ?? fixture.app, time: fixture.time.now, results: [result])]
    }

    private func registered(_ channel: PushToken) async throws -> RegisteredDevice? {
        guard let id = try fixture.registry.device(of: channel, in: space) else { return nil }
        return try fixture.registry.device(id, in: space)
    }

    @Test func aChannelBecomesAnEndpointOfItsActivity() async throws {
        let task = try await begin()
        try make(production, in: .production)
        let registration = try await registration()
        try await registration.note(started(task))
        let endpoint = try #require(try await registered(production))
        #expect(endpoint.device.environment == .production && endpoint.device.token == production)
        #expect(try fixture.registry.subscriptions(of: endpoint.id, in: space) == [activity.topic: []])
        #expect(try await book.activity(activity, in: space)?.base.channels == [.production: production.text])
        // Nothing was published, so nothing is late.
        #expect(try await fixture.read(Topics.tasks).isEmpty)
        // The first phone of the other environment.
        try make(sandbox, in: .sandbox)
        try await registration.note(started(task))
        #expect(try await registered(sandbox)?.device.environment == .sandbox)
        let channels = try await book.activity(activity, in: space)?.base.channels
        #expect(channels == [.production: production.text, .sandbox: sandbox.text])
    }

    @Test func onlyDeliveredStartsOfAppsWithAChannelCount() async throws {
        let task = try await begin()
        try make(production, in: .production)
        let registration = try await registration()
        try await registration.note(started(task, state: .failed))
        try await registration.note(started(task, provider: .apns))
        try await registration.note(started(task, app: space))
        #expect(try await registered(production) == nil)
        let other = try await begin(2, feed: .tokens)
        try await registration.note(started(other))
        #expect(try await registered(production) == nil)
        try await registration.note(started(task))
        #expect(try await registered(production) != nil)
    }

    /// Goal: a state that was published before the channel was registered reaches it, once, whatever is cut off. Method:
    /// the process dies before it sends the state; another one repeats everything.
    @Test func aStateThatWasPublishedBeforeIsSent() async throws {
        let task = try await begin()
        fixture.time.advance(by: .seconds(10))
        let state = ActivityState(stamp: TaskID(high: 3, low: 3), contentState: JSONObject([("step", .integer(1))]))
        let publication = TaskID(high: 4, low: 4)
        _ = try await book.put(state, isEnd: false, task: publication, of: activity, in: space)
        let release = try #require(try await book.release(publication, of: activity, in: space))
        try make(production, in: .production)
        fixture.scissors.cut(after: 0)
        await #expect(throws: (any Error).self) { try await registration().note(started(task)) }
        #expect(try await book.activity(activity, in: space)?.base.channels == [:])
        fixture.scissors.cut(after: nil)
        let second = try await registration()
        for _ in 0..<2 { try await second.note(started(task)) }
        let endpoint = try #require(try await registered(production))
        let sent = try await fixture.read(Topics.tasks)
        guard case .task(let late)? = sent.first, sent.count == 1 else {
            Issue.record("not one late state, but \(sent.count)")
            return
        }
        #expect(late.id == .lateState(state.stamp, for: endpoint.id) && late.app == space)
        #expect(late.content.activity?.timestamp == release.publication.timestamp)
        #expect(late.content.activity?.members?["content-state"]?["step"] == .integer(1))
        #expect(try await book.activity(activity, in: space)?.base.channels == [.production: production.text])
    }

    @Test func aForgottenActivityGetsNoChannel() async throws {
        let task = try await begin()
        try make(production, in: .production)
        try await book.forget(activity, in: space)
        try await registration().note(started(task))
        #expect(try await registered(production) == nil)
    }
}
