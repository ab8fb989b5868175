import Bus
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// `Idempotency-Key` as in the IETF draft.
@Suite struct IdempotencyTests {
    private func post(
        _ fixture: IngestFixture, body: String = TaskCreationTests.small, key: String = "\"a-key\"",
        as user: IngestFixture.Key = .publisher, path: String = "/v1/tasks"
    ) async -> RawClient.Response {
        await fixture.json("POST", path, json: body, as: user, headers: ["Idempotency-Key": key])
    }

    @Test func aRepeatIsAnsweredAsTheFirstWas() async throws {
        try await IngestFixture.run { fixture in
            let first = await post(fixture)
            #expect(first.status == 201)
            #expect(first.headers["idempotency-replayed"] == nil)
            fixture.time.advance(by: .seconds(3_600))
            for key in ["\"a-key\"", "a-key"] {
                let again = await post(fixture, key: key)
                #expect(again.status == 201)
                #expect(again.body == first.body)
                #expect(again.headers["location"] == first.headers["location"])
                #expect(again.headers["content-type"] == first.headers["content-type"])
                #expect(again.headers["idempotency-replayed"] == "true")
            }
            #expect(fixture.bus.tasks.count == 1)
        }
    }

    @Test func anotherBodyIsRefused() async throws {
        try await IngestFixture.run { fixture in
            #expect(await post(fixture).status == 201)
            let other = await post(fixture, body: #"{"audience":{"topic":"b"},"message":{"body":"x"}}"#)
            #expect(other.status == 422)
            #expect(other.json["type"] == .string("urn:carillon:idempotency-key-reused"))
            #expect(fixture.bus.tasks.count == 1)
        }
    }

    @Test func keysBelongToTheirCallers() async throws {
        try await IngestFixture.run { fixture in
            let first = await post(fixture)
            let other = await post(fixture, as: .owner)
            let shop = await post(fixture, as: .shop)
            #expect([first.status, other.status, shop.status] == [201, 201, 201])
            #expect(Set([first, other, shop].map { $0.json["id"]?.text }).count == 3)
        }
    }

    /// The acknowledgement of the bus is lost: the repeat makes the same task, with the same creation time.
    @Test func aRequestThatCameToNothingIsRepeatedAsItWas() async throws {
        try await IngestFixture.run { fixture in
            fixture.bus.fail(with: BusError(.unavailable, message: "for the test"))
            #expect(await post(fixture).status == 503)
            let began = fixture.time.now
            fixture.time.advance(by: .seconds(5))
            fixture.bus.fail(with: nil)
            let again = await post(fixture)
            #expect(again.status == 201)
            #expect(again.json["created"] == .string("\(began)"))
            let kept = try await fixture.archive.content(of: try #require(fixture.bus.tasks.first).id)
            #expect(kept == fixture.bus.sent.first?.value)
        }
    }

    /// Goal: when the answer to a request is lost, a repeat after its task is done and forgotten sends nothing. Method:
    /// the request fails after its content was stored, as after a lost acknowledgement of the bus; of the finished task
    /// only the report's stage is left.
    @Test func aRepeatOfADoneTaskSendsNothing() async throws {
        try await IngestFixture.run { fixture in
            fixture.bus.fail(with: BusError(.unavailable, message: "for the test"))
            #expect(await post(fixture).status == 503)
            fixture.bus.fail(with: nil)
            let kept = try await fixture.archive.tasks(of: try AppID("news"), before: nil, limit: 10)
            let task = try #require(kept.first?.task)
            try await fixture.archive.forget(task, after: .zero)
            try await fixture.archive.advance(reportOf: task, to: .settled)
            fixture.time.advance(by: .seconds(7_200))
            let again = await post(fixture)
            #expect(again.status == 201)
            #expect(again.json["id"] == .string("\(task)"))
            #expect(fixture.bus.tasks.isEmpty)
            #expect(try await fixture.archive.content(of: task) == nil)
        }
    }

    @Test func aKeyServesAgainAfterADayForAnotherTask() async throws {
        try await IngestFixture.run { fixture in
            let first = await post(fixture)
            fixture.time.advance(by: IdempotencyBounds.retention)
            let later = await post(fixture)
            #expect(later.status == 201)
            #expect(later.json["id"] != first.json["id"])
            #expect(fixture.bus.tasks.count == 2)
        }
    }

    @Test func mistakesAreNotKept() async throws {
        try await IngestFixture.run { fixture in
            #expect(await post(fixture, body: "{}").status == 400)
            let long = String(repeating: "x", count: 4_500)
            let body = #"{"audience":{"topic":"a"},"payloads":{"ios":{"aps":{"alert":"\#(long)"}}}}"#
            #expect(await post(fixture, body: body).status == 400)
            #expect(await post(fixture).status == 201)
        }
    }

    @Test(arguments: [
        "\"\"", "\"a", "\"a\" b", "a b", "a\"b", "\"\\x\"", String(repeating: "x", count: 256), "\"a\";p=1",
    ])
    func whatIsNoKeyIsRefused(key: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await post(fixture, key: key)
            #expect(response.status == 400)
            #expect(response.json["type"] == .string("urn:carillon:invalid-idempotency-key"))
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func aTestMessageHasKeysToo() async throws {
        try await IngestFixture.run { fixture in
            let id = try await fixture.subscriber()
            for expected in [nil, "true"] {
                let response = await post(fixture, body: "", as: .news, path: "/subscriber/\(id)/test")
                #expect(response.status == 201)
                #expect(response.headers["idempotency-replayed"] == expected)
            }
            #expect(fixture.bus.tasks.count == 1)
        }
    }

    /// Goal: the task's id depends only on caller, key and request, whichever instance creates it.
    @Test func theSeedIsDerived() {
        let request = IdempotentRequest(key: [1], fingerprint: [2], holder: 3)
        let began = Timestamp(milliseconds: 1_767_225_600_000)
        let start = RequestStart(began: began, accepted: began + .seconds(-60))
        let seed = TaskSeed(request, start: start)
        #expect(seed.created == start.accepted)
        let elsewhere = IdempotentRequest(key: [1], fingerprint: [2], holder: 4)
        #expect(TaskSeed(elsewhere, start: RequestStart(began: began + .seconds(60), accepted: began)).id == seed.id)
        let nextDay = RequestStart(began: began + .seconds(86_400), accepted: start.accepted)
        #expect(TaskSeed(elsewhere, start: nextDay).id != seed.id)
        #expect(TaskSeed(IdempotentRequest(key: [1], fingerprint: [3], holder: 3), start: start).id != seed.id)
        // A UUID of version 8: custom content.
        let text = Array("\(seed.id)")
        #expect(text[14] == "8")
        #expect("89ab".contains(text[19]))
    }
}
