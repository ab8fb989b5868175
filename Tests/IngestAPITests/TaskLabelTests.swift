import JSONKit
import PushModel
import Store
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// Labels of a task from the request to what remains of it.
@Suite struct TaskLabelTests {
    private func post(_ fixture: IngestFixture, labels: String) async -> RawClient.Response {
        await fixture.json(
            "POST", "/v1/tasks", json: #"{"audience":{"topic":"news"},"message":{"title":"x"},"labels":\#(labels)}"#,
            as: .publisher)
    }

    @Test func labelsArePartOfTheTask() async throws {
        try await IngestFixture.run { fixture in
            let answer = await post(fixture, labels: #"{"wave":"2","campaign":"spring"}"#)
            #expect(answer.status == 201)
            let labels = JSON.object(JSONObject([("campaign", .string("spring")), ("wave", .string("2"))]))
            #expect(answer.json["labels"] == labels)
            let task = try #require(fixture.bus.tasks.first)
            #expect(task.labels.json == labels)
            #expect(await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher).json["labels"] == labels)
            let list = await fixture.json("GET", "/v1/tasks", as: .publisher).json
            #expect(list["tasks"]?.elements?.map { $0["labels"] } == [labels])
        }
    }

    @Test func labelsThatCannotBeCountedAreRefused() async throws {
        try await IngestFixture.run { fixture in
            for (labels, field) in [
                (#"{"Campaign":"x"}"#, "labels.Campaign"), (#"{"campaign":""}"#, "labels.campaign"), ("[]", "labels"),
            ] {
                let answer = await post(fixture, labels: labels)
                #expect(answer.status == 400, "\(labels)")
                #expect(answer.json["errors"]?.elements?.map { $0["field"] } == [.string(field)], "\(labels)")
            }
            #expect(fixture.bus.sent.isEmpty)
        }
    }
}
