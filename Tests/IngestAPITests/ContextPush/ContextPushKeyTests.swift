import Bus
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

/// Publishers' keys: of the requests with one key the last counts, and it counts once.
@Suite struct ContextPushKeyTests {
    private static let key: [String: String?] = [
        "idempotency_key": #""k""#, "delivery_method": #""context_aware""#,
    ]

    private func post(_ fixture: IngestFixture, title: String) async -> RawClient.Response {
        await fixture.schedule(Self.key.merging(["content": #"{"title":"\#(title)","body":"B"}"#]) { $1 })
    }

    /// The ids of tasks that wait for their time, without those that were withdrawn.
    private func waiting(_ fixture: IngestFixture) -> [PushTask] {
        var tasks: [PushTask] = []
        for record in fixture.bus.schedules {
            guard case .task(let task) = record else { continue }
            tasks.removeAll { $0.id == task.id }
            if !task.isWithdrawn { tasks.append(task) }
        }
        return tasks
    }

    @Test func theLastRequestCounts() async throws {
        try await IngestFixture.run { fixture in
            var ids: [String?] = []
            for title in ["A", "B", "A"] {
                let response = await post(fixture, title: title)
                #expect(response.status == 200, "\(response.text)")
                ids.append(response.json["message_id"]?.text)
                #expect(waiting(fixture).map(\.content.message?.title?.standard) == [title])
            }
            #expect(Set(ids).count == 3)
            #expect(waiting(fixture).map { "\($0.id)" } == [ids[2]])
        }
    }

    @Test func aRepeatHasNoEffect() async throws {
        try await IngestFixture.run { fixture in
            let first = await post(fixture, title: "A")
            let sent = fixture.bus.sent.count
            fixture.time.advance(by: .seconds(60))
            let again = await post(fixture, title: "A")
            #expect(again.status == 200 && again.text == first.text)
            #expect(again.headers["idempotency-replayed"] == "true" && first.headers["idempotency-replayed"] == nil)
            // Members in another order are the same request.
            let turned = await fixture.schedule(Self.key.merging(["content": #"{"body":"B","title":"A"}"#]) { $1 })
            #expect(turned.text == first.text)
            #expect(fixture.bus.sent.count == sent && waiting(fixture).count == 1)
        }
    }

    private static let otherRequests: [[String: String?]] = [
        ["deliver_within_hours": "4"], ["delivery_method": #""traditional""#], ["delivery_method": nil],
        ["deliver_within_hours": nil, "target_delivery_time": #""2026-02-01T00:00:00Z""#],
        ["content": #"{"title":"T","body":"B","badge":1}"#],
    ]

    /// Each differs in one of the fields that are not part of the key.
    @Test(arguments: otherRequests)
    func anotherRequestReplaces(changes: [String: String?]) async throws {
        try await IngestFixture.run { fixture in
            let first = await fixture.schedule(Self.key)
            let second = await fixture.schedule(Self.key.merging(changes) { $1 })
            #expect(first.status == 200 && second.status == 200, "\(second.text)")
            let id = try #require(first.json["message_id"]?.text)
            #expect(second.json["message_id"] != .string(id))
            let status = await fixture.json("GET", "/v1/tasks/\(id)", as: .publisher)
            #expect(status.json["replaced_by"] == second.json["message_id"])
            #expect(status.json["cancelled"] == .bool(true))
        }
    }

    private static let otherNames: [[String: String?]] = [
        ["user_id": #""bob""#], ["platform": #""android""#], ["campaign_id": #""spring""#],
        ["idempotency_key": #""K""#], ["user_id": #""ada@example.comd""#, "campaign_id": #""aily-reminder""#],
    ]

    /// Each names another message, which stays.
    @Test(arguments: otherNames)
    func anotherNameIsAnotherMessage(changes: [String: String?]) async throws {
        try await IngestFixture.run { fixture in
            #expect(await fixture.schedule(Self.key).status == 200)
            #expect(await fixture.schedule(Self.key.merging(changes) { $1 }).status == 200)
            #expect(waiting(fixture).count == 2)
        }
    }

    /// Goal: identical requests at once make one task, and each is answered with it or asked to come again.
    @Test func identicalRequestsAtOnceMakeOneTask() async throws {
        try await IngestFixture.run { fixture in
            let answers = await withTaskGroup(of: RawClient.Response.self) { group in
                for _ in 0..<16 { group.addTask { await post(fixture, title: "A") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 200 || $0.status == 409 && $0.headers["retry-after"] != nil })
            let ids = Set(answers.filter { $0.status == 200 }.map { $0.json["message_id"]?.text })
            #expect(ids.count == 1 && waiting(fixture).map { "\($0.id)" } == ids.compactMap { $0 })
            #expect(await post(fixture, title: "A").json["message_id"]?.text == ids.first)
        }
    }

    /// The answer to a request may be lost when its task counts already. A repeat sends it before it is answered: what is
    /// on the bus survives a store that comes back with older data.
    @Test func aRequestThatFailedIsRepeated() async throws {
        try await IngestFixture.run { fixture in
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            let lost = await post(fixture, title: "A")
            #expect(lost.status == 503 && lost.headers["retry-after"] != nil)
            #expect(lost.error?.contains("idempotency_key") == true, "\(lost.text)")
            #expect(await post(fixture, title: "A").status == 503)
            #expect(waiting(fixture).isEmpty)
            fixture.bus.fail(with: nil)
            let again = await post(fixture, title: "A")
            #expect(again.status == 200, "\(again.text)")
            let key = try #require(try await fixture.archive.scheduled(of: fixture.news, after: nil, limit: 10).first)
            #expect(again.json["message_id"] == .string("\(key.task)"))
            #expect(waiting(fixture).map(\.id) == [key.task])
            #expect(await post(fixture, title: "A").text == again.text)
        }
    }

    /// Goal: a repeat sends nothing when the task is long closed. Method: its content and its report are forgotten.
    @Test func aRepeatAfterTheMessageIsForgottenHasNoEffect() async throws {
        try await IngestFixture.run { fixture in
            let first = await post(fixture, title: "A")
            let task = try #require(waiting(fixture).first)
            try await fixture.archive.forget(task.id, after: .zero)
            let sent = fixture.bus.sent.count
            let again = await post(fixture, title: "A")
            #expect(again.text == first.text && again.headers["idempotency-replayed"] == "true")
            #expect(fixture.bus.sent.count == sent)
            #expect(await post(fixture, title: "B").json["message_id"] != first.json["message_id"])
        }
    }

    @Test func aCancelledMessageIsScheduledAgain() async throws {
        try await IngestFixture.run { fixture in
            let first = await post(fixture, title: "A")
            #expect(await fixture.cancelMessage().json["status"] == .string("cancelled"))
            #expect(waiting(fixture).isEmpty)
            let again = await post(fixture, title: "A")
            #expect(again.status == 200 && again.json["message_id"] != first.json["message_id"])
            #expect(waiting(fixture).map { "\($0.id)" } == [again.json["message_id"]?.text])
            #expect(await post(fixture, title: "A").text == again.text)
        }
    }

    @Test func theKeyOfOneAppIsNotThatOfAnother() async throws {
        try await IngestFixture.run { fixture in
            let first = await fixture.schedule(Self.key)
            let other = Self.key.merging(["bundle_id": #""com.example.shop""#]) { $1 }
            let second = await fixture.schedule(other, as: .shop)
            #expect(first.status == 200 && second.status == 200)
            #expect(first.json["message_id"] != second.json["message_id"])
            #expect(waiting(fixture).count == 2)
        }
    }
}
