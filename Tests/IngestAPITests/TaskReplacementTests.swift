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

/// Tasks with a key, of which the last accepted counts.
@Suite struct TaskReplacementTests {
    private func post(
        _ fixture: IngestFixture, key: String, text: String, at moment: Timestamp? = nil,
        headers: [String: String] = [:]
    ) async -> RawClient.Response {
        let time = moment.map { #","send_at":"\#($0)""# } ?? ""
        return await fixture.json(
            "POST", "/v1/tasks",
            json: #"{"audience":{"topic":"news"},"message":{"title":"\#(text)"},"replaces":"\#(key)"\#(time)}"#,
            as: .publisher, headers: headers)
    }

    @Test func theKeyIsPartOfTheTask() async throws {
        try await IngestFixture.run { fixture in
            let answer = await post(fixture, key: "order-4711", text: "A")
            #expect(answer.status == 201)
            #expect(answer.json["replaces"] == .string("order-4711"))
            let task = try #require(fixture.bus.tasks.first)
            #expect(task.replaces == (try ReplacementKey("order-4711", of: fixture.news)))
            #expect(task.collapseID == "order-4711" && task.options.collapseID == nil)
            let content = try await fixture.archive.content(of: task.id)
            #expect(content == TaskMessage.task(task).encoded())
            let listed = try await fixture.listed()
            #expect(listed.map(\.task) == [task.id])
            #expect(fixture.replacements.staged(task.id) == nil)
            #expect(fixture.replacements.count == 0)
            let status = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher)
            #expect(status.json["replaces"] == .string("order-4711"))
            #expect(status.json["replaced_by"] == .null)
        }
    }

    @Test func keysThatCannotBeKeptAreRefused() async throws {
        try await IngestFixture.run { fixture in
            for key in ["", "a b", "é", String(repeating: "k", count: 65), "a\\u0000", "a\\n"] {
                let answer = await post(fixture, key: key, text: "A")
                #expect(answer.status == 400, "\(key)")
                #expect(answer.json["errors"]?.elements?.map { $0["field"] } == [.string("replaces")], "\(key)")
                #expect(answer.json["errors"]?.elements?[0]["detail"]?.text?.contains("1 to 64 visible") == true)
            }
            #expect(fixture.bus.sent.isEmpty && fixture.replacements.count == 0)
            for key in ["~", "{!}", String(repeating: "k", count: 64)] {
                #expect(await post(fixture, key: key, text: "A").status == 201)
            }
        }
    }

    /// A scheduled task is replaced by one that is sent at once.
    @Test func aReplacedTaskSaysByWhat() async throws {
        try await IngestFixture.run { fixture in
            let moment = fixture.time.now + .seconds(3_600)
            let old = try #require(await post(fixture, key: "k", text: "A", at: moment).json["id"]?.text)
            let new = try #require(await post(fixture, key: "k", text: "B").json["id"]?.text)
            let status = await fixture.json("GET", "/v1/tasks/\(old)", as: .publisher)
            #expect(status.json["cancelled"] == .bool(true))
            #expect(status.json["replaced_by"] == .string(new))
            #expect(fixture.bus.tasks.map { "\($0.id)" } == [new])
            guard case .task(let last)? = fixture.bus.schedules.last else {
                throw SetupError(description: "no record")
            }
            #expect(last.isWithdrawn && "\(last.id)" == old)
            // Another app's task with the same key stays.
            let other = await fixture.json(
                "POST", "/v1/tasks", json: #"{"audience":{"topic":"x"},"message":{"title":"x"},"replaces":"k"}"#,
                as: .shop)
            #expect(other.status == 201)
            let current = await fixture.json("GET", "/v1/tasks/\(new)", as: .publisher)
            #expect(current.json["cancelled"] == .bool(false))
        }
    }

    /// The answer to a request may be lost, and another task may be accepted before it is repeated.
    @Test func aRepeatedRequestDoesNotReplaceTheNewerTask() async throws {
        try await IngestFixture.run { fixture in
            let headers = ["Idempotency-Key": "one"]
            let moment = fixture.time.now + .seconds(3_600)
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            let lost = await post(fixture, key: "k", text: "A", at: moment, headers: headers)
            #expect(lost.status == 503)
            fixture.bus.fail(with: nil)
            #expect(await post(fixture, key: "k", text: "B").status == 201)
            let repeated = await post(fixture, key: "k", text: "A", at: moment, headers: headers)
            #expect(repeated.status == 201)
            #expect(fixture.bus.tasks.count == 1)
            let pointer = fixture.replacements.pointer(of: try ReplacementKey("k", of: fixture.news))
            #expect(pointer?.current == fixture.bus.tasks[0].id)
        }
    }

    /// A long list is on the bus before the task counts.
    @Test func aLongListIsSentBefore() async throws {
        try await IngestFixture.run { fixture in
            let users = JSONText.array((0..<1_500).map { "user-\($0)" })
            let answer = await fixture.json(
                "POST", "/v1/tasks", json: #"{"users":\#(users),"message":{"title":"x"},"replaces":"k"}"#,
                as: .publisher)
            #expect(answer.status == 201)
            #expect(!fixture.bus.longParts.isEmpty && fixture.bus.tasks.count == 1)
            #expect(fixture.bus.sent.last?.channel == Topics.tasks.channel)
        }
    }
}
