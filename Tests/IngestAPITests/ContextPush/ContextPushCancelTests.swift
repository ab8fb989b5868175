import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// Cancelling messages, and the answers that say what it reached.
@Suite struct ContextPushCancelTests {
    private static let method = #""traditional""#

    /// A message that is sent at once.
    private func post(_ fixture: IngestFixture) async throws -> PushTask {
        let response = await fixture.schedule(["idempotency_key": #""k""#, "delivery_method": Self.method])
        #expect(response.status == 200, "\(response.text)")
        return try #require(fixture.bus.tasks.last)
    }

    private func segment(_ task: PushTask) -> SegmentID {
        SegmentID(task.app, number: SegmentNumber(rawValue: 0))
    }

    /// Devices as a resolver marks them.
    private func mark(_ fixture: IngestFixture, task: PushTask, offsets: [UInt16]) throws {
        _ = try fixture.ledger.plan(
            task.id, as: TaskPlan(app: task.app, jobs: 1, isFast: true, deadline: task.deadline, policy: .atLeastOnce))
        _ = fixture.ledger.mark(SegmentSet(offsets), of: task.id, in: segment(task))
    }

    /// A sender takes a device; with a state it has ended.
    private func claim(_ fixture: IngestFixture, task: PushTask, offset: UInt16, endsAs state: DeliveryState? = nil) {
        let id = ClaimID(owner: 1, number: UInt64(offset))
        _ = fixture.ledger.claim(
            ClaimRequest(id: id, offsets: [offset], attempt: 0, lease: .seconds(60), countsBadge: false), of: task.id,
            in: segment(task))
        guard let state else { return }
        let group = Settlement.Group(offsets: [offset], state: state, attempt: 0, status: 200, reason: "", due: nil)
        _ = fixture.ledger.settle(Settlement(claim: id, groups: [group]), of: task.id, in: segment(task))
    }

    private func close(_ fixture: IngestFixture, task: PushTask) throws {
        try fixture.ledger.resolve(job: 0, unmatched: 0, of: task.id)
        _ = fixture.ledger.close([segment(task)], of: task.id)
    }

    private func answer(_ task: PushTask, status: String, sent: Int, cancelled: Int) -> String {
        #"{"status":"\#(status)","message_id":"\#(task.id)","devices":{"sent":\#(sent),"cancelled":\#(cancelled)}}"#
    }

    @Test func aWaitingMessageIsCancelled() async throws {
        try await IngestFixture.run { fixture in
            let posted = await fixture.schedule([
                "idempotency_key": #""k""#, "delivery_method": #""context_aware""#,
            ])
            let id = try #require(posted.json["message_id"]?.text)
            let first = await fixture.cancelMessage()
            #expect(first.status == 200, "\(first.text)")
            #expect(first.text == #"{"status":"cancelled","message_id":"\#(id)","devices":{"sent":0,"cancelled":0}}"#)
            #expect(await fixture.cancelMessage().text == first.text)
            let status = await fixture.json("GET", "/v1/tasks/\(id)", as: .publisher)
            #expect(status.json["cancelled"] == .bool(true))
            guard case .task(let last)? = fixture.bus.schedules.last else {
                throw SetupError(description: "no record")
            }
            #expect(last.isWithdrawn && "\(last.id)" == id, "it is released without its audience")
        }
    }

    /// A message is on its way, and nothing is sent.
    @Test func aMessageThatIsNotSentYetIsCancelled() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            try mark(fixture, task: task, offsets: [1, 2])
            let first = await fixture.cancelMessage()
            #expect(first.text == answer(task, status: "cancelled", sent: 0, cancelled: 2))
            try close(fixture, task: task)
            #expect(await fixture.cancelMessage().text == first.text)
        }
    }

    @Test func whatIsSentIsAnsweredAsSent() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            try mark(fixture, task: task, offsets: [1, 2])
            for offset: UInt16 in [1, 2] { claim(fixture, task: task, offset: offset, endsAs: .delivered) }
            try close(fixture, task: task)
            for _ in 0..<2 {
                #expect(await fixture.cancelMessage().text == answer(task, status: "sent", sent: 2, cancelled: 0))
            }
            let status = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher)
            #expect(status.json["cancelled"] == .bool(false), "a closed task stays as it is")
        }
    }

    /// Of four devices one has the message, one gets it in this moment, one is unreachable, and one waits.
    @Test func aPartIsCancelled() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            try mark(fixture, task: task, offsets: [1, 2, 3, 4])
            claim(fixture, task: task, offset: 1, endsAs: .delivered)
            claim(fixture, task: task, offset: 2)
            claim(fixture, task: task, offset: 3, endsAs: .invalidRemoved)
            for _ in 0..<2 {
                let response = await fixture.cancelMessage()
                #expect(response.text == answer(task, status: "partly_sent", sent: 2, cancelled: 1))
            }
        }
    }

    @Test func whatNoMessageHasIsUnknown() async throws {
        try await IngestFixture.run { fixture in
            let generated = await fixture.schedule(["delivery_method": #""context_aware""#])
            let key = try #require(generated.json["idempotency_key"]?.text)
            let sent = fixture.bus.sent.count
            let names: [[String: String?]] = [
                ["idempotency_key": #""\#(key)""#], ["idempotency_key": #""other""#], [:],
            ]
            for changes in names {
                let response = await fixture.cancelMessage(changes)
                #expect(response.status == 404, "\(response.text)")
                #expect(response.error?.contains("the key was generated") == true, "\(response.text)")
            }
            #expect(fixture.bus.sent.count == sent)
        }
    }

    private static let otherNames: [[String: String?]] = [
        ["user_id": #""bob""#], ["platform": #""android""#], ["campaign_id": #""spring""#],
        ["idempotency_key": #""K""#],
    ]

    /// A message is cancelled under exactly the names with which it was scheduled.
    @Test(arguments: otherNames)
    func anotherNameIsAnotherMessage(changes: [String: String?]) async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            #expect(await fixture.cancelMessage(changes).status == 404)
            let status = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher)
            #expect(status.json["cancelled"] == .bool(false))
        }
    }

    /// After the message's life its key is that of no message.
    @Test func aForgottenMessageIsUnknown() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            try await fixture.archive.forget(task.id, after: .zero)
            #expect(await fixture.cancelMessage().status == 404)
        }
    }

    /// Goal: a message whose request is interrupted is not said to be cancelled or unknown. Method: it counts, and its
    /// content is not in the archive yet.
    @Test func aMessageThatIsBeingAcceptedIsAskedForAgain() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture)
            let content = try #require(try await fixture.archive.content(of: task.id))
            try await fixture.archive.forget(task.id, after: .zero)
            fixture.replacements.stage(content, of: task.id, for: .seconds(60))
            let response = await fixture.cancelMessage()
            #expect(response.status == 409 && response.headers["retry-after"] == "1", "\(response.text)")
            // The same request sends what is staged before it is answered.
            let again = await fixture.schedule(["idempotency_key": #""k""#, "delivery_method": Self.method])
            #expect(again.json["message_id"] == .string("\(task.id)"))
            #expect(fixture.bus.tasks.map(\.id) == [task.id, task.id])
            #expect(fixture.replacements.staged(task.id) == nil)
        }
    }

    private static let mistakes: [([String: String?], [String])] = [
        (["bundle_id": nil], ["bundle_id"]), (["platform": nil], ["platform"]), (["user_id": nil], ["user_id"]),
        (["campaign_id": nil], ["campaign_id"]), (["idempotency_key": nil], ["idempotency_key"]),
        (["user_id": "7", "platform": #""x""#], ["platform", "user_id"]), (["content": "{}"], ["content"]),
    ]

    @Test(arguments: mistakes)
    func everyFieldIsNeeded(changes: [String: String?], fields: [String]) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.cancelMessage(changes)
            #expect(response.status == 400 && response.fields == fields, "\(response.text)")
        }
    }

    @Test func anotherKeyOfTheAppMayCancel() async throws {
        try await IngestFixture.run { fixture in
            _ = try await post(fixture)
            #expect(await fixture.cancelMessage(as: .owner).json["status"] == .string("cancelled"))
            #expect(await fixture.cancelMessage(as: .news).status == 403)
        }
    }
}
