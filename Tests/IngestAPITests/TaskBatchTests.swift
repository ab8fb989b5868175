import Apps
import Bus
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing

@testable import IngestAPI

/// `POST /v1/tasks/batch`: each task gets what it would have got alone.
@Suite struct TaskBatchTests {
    private static let path = "/v1/tasks/batch"
    private static let small = TaskCreationTests.small

    private func post(
        _ fixture: IngestFixture, _ tasks: [String], as key: IngestFixture.Key = .publisher, app: String = "",
        headers: [String: String] = [:]
    ) async -> RawClient.Response {
        await fixture.json(
            "POST", app + Self.path, json: #"{"tasks":[\#(tasks.joined(separator: ","))]}"#, as: key, headers: headers)
    }

    private func task(user: String, _ more: String = "") -> String {
        #"{"users":["\#(user)"],"message":{"body":"Hello"}\#(more)}"#
    }

    private func statuses(_ response: RawClient.Response) -> [Int?] {
        response.results.map { $0.number("status") }
    }

    @Test func allAreDurableWithOneWrite() async throws {
        try await IngestFixture.run { fixture in
            let response = await post(fixture, ["ada", "ben", "eva"].map { task(user: $0) }, app: "/apps/news")
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json.number("accepted") == 3 && response.json.number("refused") == 0)
            #expect(statuses(response) == [201, 201, 201])
            let ids = response.results.map { $0["body"]?["id"]?.text }
            #expect(Set(ids).count == 3)
            #expect(ids == fixture.bus.tasks.map { "\($0.id)" })
            let lists = try ["ada", "ben", "eva"].map { user in
                TargetList.entries([.alias(try Alias(.externalUser, value: user))])
            }
            #expect(fixture.bus.tasks.map(\.target.list) == lists)
            #expect(fixture.archive.batchesKept == [3])
            let listed = try await fixture.listed()
            #expect(Set(listed.map { "\($0.task)" }) == Set(ids.compactMap { $0 }))
            #expect(fixture.metrics.exposition().contains("carillon_ingest_accepted_tasks_total{dialect=\"native\"} 3"))
        }
    }

    /// The answers are compared with those to the same tasks, posted alone.
    @Test func mistakesRefuseOneTask() async throws {
        try await IngestFixture.run { fixture in
            let long = String(repeating: "x", count: 5_000)
            let mistaken = [
                "{}", "7", #"{"users":["a"],"mesage":1}"#, #"{"audience":{"topic":""},"message":{}}"#,
                #"{"users":["a"],"message":{"body":"\#(long)"}}"#,
                task(user: "a", #","send_at":"2001-01-01T00:00:00Z""#),
                task(user: "a", #","deliver_within":"1h","replaces":"k","send_at_local":"2026-12-24T09:00""#),
                #"{"audience":{"audience":"vip"},"message":{"body":"x"}}"#,
                #"{"audience":{"all":true},"message":{"body":"x"}}"#,
            ]
            let response = await post(fixture, [Self.small] + mistaken + [Self.small])
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json.number("accepted") == 2 && response.json.number("refused") == mistaken.count)
            #expect(statuses(response).first == 201 && statuses(response).last == 201)
            #expect(fixture.bus.tasks.count == 2)
            for (body, result) in zip(mistaken, response.results.dropFirst()) where body != "7" {
                let alone = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
                #expect(alone.status >= 400 && result.number("status") == alone.status, "\(body)")
                #expect(result["body"] == alone.json, "\(body)")
            }
            #expect(response.results[2]["body"]?["detail"]?.text == "expected an object, got a number")
            #expect(statuses(response)[9] == 403)
        }
    }

    @Test func eachHasItsOwnKey() async throws {
        try await IngestFixture.run { fixture in
            let tasks = [
                task(user: "ada", #","idempotency_key":"one""#), task(user: "ben", #","idempotency_key":"two""#),
                task(user: "eva"),
            ]
            let first = await post(fixture, tasks)
            #expect(statuses(first) == [201, 201, 201], "\(first.text)")
            #expect(first.results.allSatisfy { $0["replayed"] == nil })
            fixture.time.advance(by: .seconds(3_600))
            let changed = task(user: "ivo", #","idempotency_key":"two""#)
            let again = await post(fixture, [tasks[2], changed, tasks[0]])
            #expect(statuses(again) == [201, 422, 201])
            #expect(again.results[2]["body"] == first.results[0]["body"])
            #expect(again.results[2]["replayed"] == .bool(true))
            #expect(again.results[1]["body"]?["type"] == .string("urn:carillon:idempotency-key-reused"))
            #expect(fixture.bus.tasks.count == 4)
            // The keys of single requests are the same ones.
            let alone = await fixture.json(
                "POST", "/v1/tasks", json: task(user: "ada"), as: .publisher, headers: ["Idempotency-Key": "one"])
            #expect(alone.status == 422)
        }
    }

    @Test func aKeyIsForOneTask() async throws {
        try await IngestFixture.run { fixture in
            let tasks = ["ada", "ben"].map { task(user: $0, #","idempotency_key":"one""#) }
            let response = await post(fixture, tasks + [task(user: "eva", #","idempotency_key":"é""#)])
            #expect(statuses(response) == [201, 400, 400])
            #expect(
                response.results[1]["body"]?["detail"]?.text
                    == "idempotency_key: is that of tasks[0] too; use one for each task")
            #expect(
                response.results[2]["body"]?["detail"]?.text
                    == "idempotency_key: expected 1 to 255 visible ASCII characters")
        }
    }

    /// A refused task had no effect, so its key may be used for a corrected one.
    @Test func theKeyOfARefusedTaskIsFree() async throws {
        try await IngestFixture.run { fixture in
            let key = #","idempotency_key":"one""#
            let long = String(repeating: "x", count: 5_000)
            let refused = await post(fixture, [#"{"users":["a"],"message":{"body":"\#(long)"}\#(key)}"#])
            #expect(statuses(refused) == [400])
            #expect(statuses(await post(fixture, [task(user: "a", key)])) == [201])
        }
    }

    @Test func theKeyOfTheRequestIsThatOfEachTask() async throws {
        try await IngestFixture.run { fixture in
            let tasks = ["ada", "ben"].map { task(user: $0) }
            let first = await post(fixture, tasks, headers: ["Idempotency-Key": "\"batch-1\""])
            let again = await post(fixture, tasks + [task(user: "eva")], headers: ["Idempotency-Key": "\"batch-1\""])
            #expect(again.results.map { $0["replayed"] } == [.bool(true), .bool(true), nil])
            #expect(again.results.prefix(2).map { $0["body"] } == first.results.map { $0["body"] })
            let moved = await post(fixture, tasks.reversed(), headers: ["Idempotency-Key": "\"batch-1\""])
            #expect(statuses(moved) == [422, 422])
            #expect(fixture.bus.tasks.count == 3)
            #expect(await post(fixture, tasks, headers: ["Idempotency-Key": "é"]).status == 400)
        }
    }

    /// The acknowledgement of the bus is lost: the repeat of the request makes the same tasks.
    @Test func whatTheBusRefusesIsRepeatedAsAWhole() async throws {
        try await IngestFixture.run { fixture in
            let tasks = [
                task(user: "ada", #","idempotency_key":"one""#), task(user: "ben"),
                task(user: "eva", #","replaces":"k""#),
            ]
            fixture.bus.fail(with: BusError(.unavailable, message: "for the test"))
            let refused = await post(fixture, tasks)
            #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
            let began = fixture.time.now
            let listed = await fixture.json("GET", "/v1/tasks", as: .publisher)
            #expect(listed.json["tasks"]?.elements?.count == 1, "the task without a key is withdrawn")
            fixture.time.advance(by: .seconds(5))
            fixture.bus.fail(with: nil)
            let again = await post(fixture, tasks)
            #expect(statuses(again) == [201, 201, 201], "\(again.text)")
            #expect(again.results[0]["body"]?["created"] == .string("\(began)"))
            #expect(again.results[1]["body"]?["created"] == .string("\(fixture.time.now)"))
            #expect(fixture.bus.tasks.count == 3)
        }
    }

    @Test func aFullStoreRefusesTheWholeRequestOrWhatWaits() async throws {
        try await IngestFixture.run { fixture in
            let later = task(user: "ada", #","send_at":"\#(fixture.time.now + .seconds(600))""#)
            for (percent, expected) in [(60, [201, 201]), (66, [201, 503])] {
                fixture.percentUsed.withLock { $0 = percent }
                let response = await post(fixture, [task(user: "ben"), later])
                #expect(statuses(response) == expected, "\(percent)")
                #expect(response.results[1].number("retry_after") == (percent == 60 ? nil : 5))
            }
            fixture.percentUsed.withLock { $0 = 72 }
            let key = #","idempotency_key":"one""#
            let refused = await post(fixture, [task(user: "ben", key), later])
            #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
            fixture.percentUsed.withLock { $0 = 60 }
            #expect(statuses(await post(fixture, [task(user: "ben", key)])) == [201])
        }
    }

    @Test func eachTaskCountsAsARequest() async throws {
        var limits = AppLimits()
        limits.requestsPerSecond = 3
        try await IngestFixture.run(limits: limits) { fixture in
            let response = await post(fixture, (0..<5).map { task(user: "user-\($0)") })
            #expect(statuses(response) == [201, 201, 201, 429, 429])
            #expect(response.results[4].number("retry_after") == 1)
            #expect(await post(fixture, [Self.small]).status == 429)
        }
    }

    @Test func theLastOfAReplacementKeyCounts() async throws {
        try await IngestFixture.run { fixture in
            let time = fixture.time.now + .seconds(600)
            let tasks = ["A", "B"].map { text in
                #"{"users":["ada"],"message":{"body":"\#(text)"},"replaces":"k","send_at":"\#(time)"}"#
            }
            let response = await post(fixture, tasks)
            #expect(statuses(response) == [201, 201])
            let ids = response.results.map { $0["body"]?["id"] }
            for (id, successor) in zip(ids, [ids[1], .null]) {
                let status = await fixture.json("GET", "/v1/tasks/\(id?.text ?? "")", as: .publisher)
                #expect(status.json["replaced_by"] == successor)
            }
        }
    }

    @Test func savedAudiencesAreReadForEachTask() async throws {
        try await IngestFixture.run { fixture in
            #expect(
                await fixture.json("PUT", "/v1/audiences/readers", json: #"{"topic":"a"}"#, as: .owner).status < 300)
            #expect(await fixture.json("PUT", "/v1/audiences/crowd", json: #"{"all":true}"#, as: .owner).status < 300)
            let tasks = ["readers", "crowd", "vip"].map {
                #"{"audience":{"audience":"\#($0)"},"message":{"body":"x"}}"#
            }
            let response = await post(fixture, tasks)
            #expect(statuses(response) == [201, 403, 400], "\(response.text)")
            let readers = Audience.topic(try TopicName("a"))
            #expect(fixture.bus.tasks.map(\.target.audience) == [readers])
        }
    }

    @Test func usersWithAWindowGetATaskEach() async throws {
        try await IngestFixture.run { fixture in
            let response = await post(
                fixture, [#"{"users":["ada","ben"],"message":{"body":"x"},"deliver_within":"1h"}"#, Self.small])
            #expect(statuses(response) == [201, 201])
            let users = response.results[0]["body"]?["tasks"]?.elements?.map { $0["user"]?.text }
            #expect(users == ["ada", "ben"])
        }
    }

    @Test func theTasksOfUsersWithAWindowAreLimited() async throws {
        try await IngestFixture.run { fixture in
            let users = (0..<100).map { #""user-\#($0)""# }.joined(separator: ",")
            let many = #"{"users":[\#(users)],"message":{"body":"x"},"deliver_within":"1h"}"#
            let response = await post(fixture, Array(repeating: many, count: 11))
            #expect(statuses(response) == Array(repeating: 201, count: 10) + [400])
            #expect(response.results[10]["body"]?["detail"]?.text?.hasPrefix("users: too many: ") == true)
        }
    }

    @Test(arguments: [
        ("[]", "The body must be a JSON object."), ("{}", "tasks: missing; expected at least one task"),
        (#"{"tasks":[]}"#, "tasks: missing; expected at least one task"),
        (#"{"tasks":{}}"#, "tasks: expected an array of tasks"),
        (#"{"tasks":[{}],"tasks":[{}]}"#, "tasks: given twice in one object"),
        (#"{"task":[]}"#, "task: unknown field; a request with many tasks has only tasks"),
        (#"{"tasks":[{]}"#, "The body is not valid JSON: line 1, column 12: unexpected ']'; expected a quoted name."),
        (
            #"{"tasks":[{}]}}"#,
            "The body is not valid JSON: line 1, column 15: unexpected '}'; expected the end of the document."
        ),
    ])
    func aBodyThatIsWrongAsAWholeIsRefused(_ body: String, _ detail: String) async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json("POST", Self.path, json: body, as: .publisher)
            #expect(response.status == 400)
            #expect(response.detail == detail)
        }
    }

    @Test func theNumberOfTasksIsLimited() async throws {
        try await IngestFixture.run { fixture in
            let most = await post(fixture, Array(repeating: Self.small, count: 1_000))
            #expect(most.json.number("accepted") == 1_000)
            #expect(fixture.bus.tasks.count == 1_000)
            let more = await post(fixture, Array(repeating: Self.small, count: 1_001))
            #expect(more.status == 400)
            #expect(more.detail == "tasks: too long: at most 1000 tasks; send several requests")
        }
    }

    /// The answer to many mistakes is not much longer than the request.
    @Test func theMistakesNamedAreLimited() async throws {
        try await IngestFixture.run { fixture in
            let unknown = (0..<200).map { #""\#($0)":1"# }.joined(separator: ",")
            let response = await post(fixture, Array(repeating: "{\(unknown)}", count: 1_000))
            let named = response.results.map { $0["body"]?["errors"]?.elements?.count ?? 0 }
            #expect(named.allSatisfy { $0 >= 1 })
            #expect(named.reduce(0, +) < 2_000)
        }
    }
}

extension RawClient.Response {
    fileprivate var results: [JSON] { json["results"]?.elements ?? [] }
}

extension JSON {
    fileprivate func number(_ name: String) -> Int? {
        guard case .integer(let number) = self[name] else { return nil }
        return Int(number)
    }
}
