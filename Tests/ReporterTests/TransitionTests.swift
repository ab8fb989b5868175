import Bus
import HTTPServer
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import Reporter

/// Goal: the webhook of an app is told each transition of a device once and in order, whatever is delivered again.
@Suite(.timeLimit(.minutes(5))) struct TransitionTests {
    private let fixture: StateFixture
    private let endpoint: Endpoint
    private let id: DeviceID
    private let device: Device

    init() async throws {
        fixture = try StateFixture()
        endpoint = try Endpoint([HTTPResponse(.internalServerError), HTTPResponse(.ok)])
        fixture.setWebhook(endpoint)
        let changes = DeviceChanges(aliases: [.externalUser: "ada"])
        let registered = try await fixture.base.registry.register(
            Samples.token(1), changes: changes, in: fixture.base.app
        ).registered
        (id, device) = (registered.id, registered.device)
    }

    /// `isKnown` if the process that tells it has read that the device reports moments.
    private func transition(
        to reached: DeviceClass, isKnown: Bool = false, of other: DeviceID? = nil
    ) -> DeviceTransition {
        var device = device
        device.reportsMoments = isKnown
        return DeviceTransition(
            of: other ?? id, device, in: fixture.base.app, to: reached, at: fixture.base.time.now)
    }

    private var queue: OutboxQueue { OutboxSubject(.device(id), of: fixture.base.app).queue }

    /// The classes of each transition that waits.
    private func waiting() throws -> [[String?]] {
        guard let batch = fixture.base.outbox.batch(of: queue, proposing: "look") else { return [] }
        return try #require(try JSON(batch.body).elements).map { entry in
            [entry["previous_class"]?.text, entry["class"]?.text]
        }
    }

    @Test func aTransitionIsPostedWithItsDevice() async throws {
        let moment = fixture.base.time.now
        let recorder = fixture.recorder()
        try await recorder.note([transition(to: .eligible)])
        fixture.base.time.advance(by: .seconds(1))
        try await recorder.note([transition(to: .ineligible, isKnown: true)])
        let task = try fixture.begin(UInt64(id.tag), devices: [])
        try await recorder.note([MessageAcceptance(task: task.id, app: task.app)])
        try await fixture.postDue(queue)
        fixture.base.time.advance(by: .seconds(10))
        try await fixture.postDue(queue)
        let common = #""device_token":"\#(device.token.text)","user_id":"ada""#
        let expected = """
            [{\(common),"previous_class":"unknown","class":"eligible","timestamp":"\(moment)"},\
            {\(common),"previous_class":"eligible","class":"ineligible","timestamp":"\(moment + .seconds(1))"}]
            """
        let posts = endpoint.posts.filter { $0.headers["X-CTX-Event-Type"] == "device_transition" }
        #expect(posts.count == 2 && posts.allSatisfy { $0.body == Array(expected.utf8) })
        #expect(Set(posts.compactMap { $0.headers["X-Idempotency-Key"] }).count == 1)
        #expect(posts.allSatisfy { $0.headers["X-CTX-Secret"] == "s3cret" })
        #expect(fixture.states("queued") == 3)
        await fixture.close()
        await endpoint.stop()
    }

    @Test func aDeviceWithoutAUserHasNone() async throws {
        let plain = Device(tag: 1, token: device.token, created: 1)
        let transition = DeviceTransition(
            of: id, plain, in: fixture.base.app, to: .eligible, at: fixture.base.time.now)
        try await fixture.recorder().note([transition])
        let batch = try #require(fixture.base.outbox.batch(of: queue, proposing: "look"))
        #expect(try JSON(batch.body).elements?.map { $0["user_id"] } == [nil])
    }

    @Test func aRepeatIsToldOnce() async throws {
        for _ in 0..<2 {
            let recorder = fixture.recorder()
            try await recorder.note([transition(to: .eligible), transition(to: .eligible)])
            try await recorder.note([transition(to: .ineligible, isKnown: true)])
            try await recorder.note([transition(to: .eligible, isKnown: true)])
        }
        #expect(try waiting() == [["unknown", "eligible"], ["eligible", "ineligible"]])
        #expect(fixture.states("queued") == 2)
    }

    /// Goal: a class that was told is left by the next transition, and no class follows a removal. Method: a removal by
    /// a process that did not know of the moment, and a moment by one that did not know of the removal.
    @Test func aProcessThatDoesNotKnowTheLastTransitionIsCorrected() async throws {
        try await fixture.recorder().note([transition(to: .eligible), transition(to: .ineligible)])
        #expect(try waiting() == [["unknown", "eligible"], ["eligible", "ineligible"]])
        let other = DeviceID(index: DeviceIndex(rawValue: id.index.rawValue + 1), tag: id.tag)
        try await fixture.recorder().note([
            transition(to: .ineligible, of: other), transition(to: .eligible, of: other),
        ])
        #expect(fixture.states("queued") == 3)
        let subject = OutboxSubject(.device(other), of: fixture.base.app)
        #expect(fixture.base.outbox.head(of: subject) == Array("ineligible".utf8))
    }

    /// The transition before was told long ago, or before the app had a webhook.
    @Test func theRecordTellsAClassThatIsForgotten() async throws {
        try await fixture.recorder().note([transition(to: .ineligible, isKnown: true)])
        #expect(try waiting() == [["eligible", "ineligible"]])
    }

    @Test func anAppWithoutAWebhookHasNoTransitions() async throws {
        fixture.setWebhook(nil)
        try await fixture.recorder().note([transition(to: .eligible)])
        #expect(fixture.base.outbox.head(of: OutboxSubject(.device(id), of: fixture.base.app)) == nil)
    }

    @Test func whatIsCutOffIsAppendedByARepeat() async throws {
        for steps in 0...1 {
            fixture.base.scissors.cut(after: steps)
            await #expect(throws: StoreError.self) { try await fixture.recorder().note([transition(to: .eligible)]) }
        }
        fixture.base.scissors.cut(after: nil)
        try await fixture.recorder().note([transition(to: .eligible)])
        #expect(try waiting() == [["unknown", "eligible"]])
    }

    /// What is given up is posted under the same id and event by a replay.
    @Test func transitionsAreReplayed() async throws {
        try await fixture.recorder().note([transition(to: .eligible)])
        fixture.base.time.advance(by: .seconds(60))
        try await fixture.postDue(queue, patience: .seconds(60))
        let letter = try #require(try await fixture.letters().first)
        guard case .states(let post) = try WebhookPost(decoding: letter.value) else {
            Issue.record("the letter has no transitions")
            return
        }
        #expect(post.event == .deviceTransition && post.count == 1)
        #expect(try await fixture.poster().postAgain(post) == nil)
        let keys = endpoint.posts.map { $0.headers["X-Idempotency-Key"] }
        #expect(keys == [post.id, post.id])
        #expect(endpoint.posts.last?.headers["X-CTX-Event-Type"] == "device_transition")
        await fixture.close()
        await endpoint.stop()
    }
}
