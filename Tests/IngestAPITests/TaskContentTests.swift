import JSONKit
import PushModel
import TaskKit
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// A task as it can be posted again.
@Suite struct TaskContentTests {
    private static let message = #""message":{"title":{"default":"Goal","fr":"But"},"body":"2:1","data":{"a":1}}"#

    /// The same as if it had been accepted at once.
    private func isCopy(_ copy: PushTask, of task: PushTask) -> Bool {
        copy.target == task.target && copy.content == task.content && copy.options == task.options
            && copy.rules == task.rules && copy.sendAt == task.sendAt && copy.window == task.window
            && copy.replaces == task.replaces && copy.labels == task.labels
    }

    @Test(arguments: [
        #"{"audience":{"topic":"news"},\#(message)}"#,
        #"{"audience":{"all_of":[{"topic":"a"},{"not":{"topic":"b"}}]},"users":["ada"],"devices":["J8lHY4X1XkU"],"#
            + #""message":{"body":"${var.x}"},"variables":{"x":"1"},"platforms":["ios","web"],"labels":{"campaign":"s"}}"#,
        #"{"users":["ada"],"messages":{"ios":{"body":"x","ios":{"thread":"t"}}},"#
            + #""payloads":{"android":{"data":{"a":"b"}}},"#
            + #""options":{"priority":"normal","time_to_live":"90m","ambiguous":"at_most_once","collapse_id":"c"},"#
            + #""rate":7,"replaces":"order","cap":"skip","quiet_hours":"ignore"}"#,
        #"{"users":["ada"],\#(message),"send_at":"2026-01-02T12:00:00Z"}"#,
        #"{"users":["ada"],\#(message),"send_at_local":"2026-01-04T09:00"}"#,
        #"{"users":["ada"],\#(message),"deliver_within":"3h","method":"traditional"}"#,
        #"{"users":["ada"],\#(message),"deliver_within":"3h","method":"compare","send_at":"2026-01-02T12:00:00Z"}"#,
    ])
    func aTaskIsPostedAgain(json: String) async throws {
        try await IngestFixture.run { fixture in
            let first = await fixture.json("POST", "/v1/tasks", json: json, as: .owner)
            let id = try #require(first.json["id"]?.text, "\(first.text)")
            let content = await fixture.json("GET", "/v1/tasks/\(id)/content", as: .owner)
            #expect(content.status == 200, "\(content.text)")
            #expect(content.headers["carillon-omitted"] == nil)
            let second = await fixture.json("POST", "/v1/tasks", json: content.text, as: .owner)
            #expect(second.status == 201, "\(content.text): \(second.text)")
            let copied = try #require(second.json["id"]?.text.flatMap { TaskID($0) })
            let original = try #require(TaskID(id))
            let task = try #require(try await fixture.archive.task(original))
            #expect(isCopy(try #require(try await fixture.archive.task(copied)), of: task), "\(content.text)")
        }
    }

    @Test func aTimeThatIsOverIsLeftOut() async throws {
        try await IngestFixture.run { fixture in
            let json = #"{"users":["ada"],\#(Self.message),"send_at":"2026-01-02T12:00:00Z"}"#
            let posted = await fixture.json("POST", "/v1/tasks", json: json, as: .owner)
            let path = "/v1/tasks/\(try #require(posted.json["id"]?.text))/content"
            fixture.time.advance(by: .seconds(2 * 86_400))
            let content = await fixture.json("GET", path, as: .owner)
            #expect(content.status == 200 && content.json["send_at"] == nil, "\(content.text)")
            #expect(content.headers["carillon-omitted"] == "send_at")
        }
    }

    @Test func aLongListIsLeftOut() async throws {
        try await IngestFixture.run { fixture in
            let users = (0..<2_000).map { "\"u\($0)\"" }.joined(separator: ",")
            let json = #"{"users":[\#(users)],\#(Self.message)}"#
            let posted = await fixture.json("POST", "/v1/tasks", json: json, as: .owner)
            let id = try #require(posted.json["id"]?.text)
            let content = await fixture.json("GET", "/v1/tasks/\(id)/content", as: .owner)
            #expect(content.json["users"] == nil && content.headers["carillon-omitted"] == "list")
        }
    }

    @Test func anUnknownTaskHasNoContent() async throws {
        try await IngestFixture.run { fixture in
            for id in ["x", "\(TaskID(high: 1, low: 2))"] {
                #expect(await fixture.json("GET", "/v1/tasks/\(id)/content", as: .owner).status == 404)
            }
        }
    }
}
