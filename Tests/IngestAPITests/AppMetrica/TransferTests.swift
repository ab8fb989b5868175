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

/// AppMetrica's `send-batch` and status as in its documentation; where that leaves a choice, as in
/// `docs/appmetrica.md`.
@Suite struct TransferTests {
    private static let path = "/push/v1/send-batch"
    private static let group = TransferGroup(id: 1, name: "spring", rate: 500)

    /// With a group in `news`.
    private func run(_ body: (IngestFixture) async throws -> Void) async throws {
        try await IngestFixture.run { fixture in
            #expect(try await fixture.groups.save(Self.group, in: fixture.news) == .saved)
            try await body(fixture)
        }
    }

    private func post(
        _ fixture: IngestFixture, body: String, as key: IngestFixture.Key = .poster
    ) async -> RawClient.Response {
        await fixture.json("POST", Self.path, json: body, as: key)
    }

    private func id(_ response: RawClient.Response) throws -> Int64 {
        guard response.status == 200, case .integer(let id) = response.json["push_response"]?["transfer_id"] else {
            throw SetupError(description: "no transfer in \(response.text)")
        }
        return id
    }

    private func status(
        _ fixture: IngestFixture, _ path: String, as key: IngestFixture.Key = .poster
    ) async -> RawClient.Response {
        await fixture.json("GET", "/push/v1/status/\(path)", as: key)
    }

    private func refusal(_ response: RawClient.Response) -> String {
        let error = response.json["errors"]?.elements?.first
        return "\(response.status) \(error?["error_type"]?.text ?? "") \(error?["location"]?.text ?? "")"
    }

    private func plan(_ fixture: IngestFixture, task: PushTask) throws {
        let plan = TaskPlan(app: task.app, jobs: 1, isFast: true, deadline: task.deadline, policy: .atLeastOnce)
        _ = try fixture.ledger.plan(task.id, as: plan)
    }

    @Test func theSampleBecomesATask() async throws {
        try await run { fixture in
            let response = await post(fixture, body: AppMetricaSamples.request(clientID: "77"))
            let id = try id(response)
            #expect(response.text == #"{"push_response":{"transfer_id":\#(id),"client_transfer_id":77}}"#)
            #expect(TransferBounds.ids.contains(UInt64(id)))
            #expect(fixture.bus.tasks.count == 1)
            let task = try #require(fixture.bus.tasks.first)
            #expect(task.dialect == .appmetrica)
            #expect(task.app == fixture.news)
            #expect(task.target.list.entryCount == 8)
            #expect(!task.hasListedContents)
            #expect(task.content.targetedPlatforms == [.android, .ios])
            #expect(task.options.timeToLive == .seconds(3_600))
            #expect(task.rules.group == GroupRate(id: 1, perSecond: 500))
            #expect(task.labels["group"] == "1")
            #expect(task.labels["tag"] == "spring")
            #expect(task.labels["transfer"] == "\(id)")
            #expect(try await fixture.listed().map(\.task) == [task.id])
        }
    }

    @Test func aRepeatHasTheSameTransfer() async throws {
        try await run { fixture in
            let body = AppMetricaSamples.request(clientID: "-9223372036854775808")
            let first = await post(fixture, body: body)
            fixture.time.advance(by: .seconds(40 * 86_400))
            let second = await post(fixture, body: body)
            #expect(first.status == 200 && second.text == first.text)
            #expect(fixture.bus.tasks.count == 1)
        }
    }

    @Test func aClientIDIsNotUsedForAnotherRequest() async throws {
        try await run { fixture in
            _ = try id(await post(fixture, body: AppMetricaSamples.request(clientID: "5")))
            let body = AppMetricaSamples.request(clientID: "5", messages: #"{"ios":{"silent":true}}"#)
            let response = await post(fixture, body: body)
            #expect(refusal(response) == "400 invalid_parameter push_batch_request.client_transfer_id")
            #expect(response.json["code"] == .integer(400))
            #expect(fixture.bus.tasks.count == 1)
        }
    }

    @Test func aClientIDBelongsToItsGroup() async throws {
        try await run { fixture in
            _ = try await fixture.groups.save(TransferGroup(id: 2, name: "autumn", rate: 500), in: fixture.news)
            let first = try id(await post(fixture, body: AppMetricaSamples.request(group: "1", clientID: "5")))
            let second = try id(await post(fixture, body: AppMetricaSamples.request(group: "2", clientID: "5")))
            #expect(first != second)
            #expect(Set(fixture.bus.tasks.map(\.id)).count == 2)
        }
    }

    @Test func withoutAClientIDEachRequestIsSent() async throws {
        try await run { fixture in
            let first = await post(fixture, body: AppMetricaSamples.request())
            #expect(first.json["push_response"]?["client_transfer_id"] == nil)
            let second = try id(await post(fixture, body: AppMetricaSamples.request()))
            #expect(try id(first) != second)
            #expect(Set(fixture.bus.tasks.map(\.id)).count == 2)
        }
    }

    /// Goal: a request that was interrupted is completed by its repeat, and sends each task once. Method: the bus fails
    /// at each of the steps.
    @Test(arguments: 0..<4) func aRepeatCompletesTheRequest(sends: Int) async throws {
        try await run { fixture in
            let elements = (0..<900).map { AppMetricaSamples.element("Text \($0)", ids: ["\($0)", "1"]) }
            let body = AppMetricaSamples.request(clientID: "9", elements: Array(elements.prefix(16)))
            fixture.bus.fail(with: BusError(.unavailable, message: "no bus"), after: sends)
            let interrupted = await post(fixture, body: body)
            fixture.bus.fail(with: nil)
            if interrupted.status != 200 {
                #expect(refusal(interrupted) == "503 backend_error ")
                #expect(await status(fixture, "1/9").json["transfer"]?["status"]?.text == "pending")
            }
            let repeated = await post(fixture, body: body)
            let transfer = try id(repeated)
            let tasks = Set(fixture.bus.tasks.map(\.id))
            #expect(tasks.count == 16)
            let shown = await status(fixture, "\(transfer)").json["transfer"]?["tasks"]?.elements?.compactMap(\.text)
            #expect(Set(shown ?? []) == Set(tasks.map { "\($0)" }))
        }
    }

    /// What is known of its tasks may be gone, so a repeat might send them again.
    @Test func anOldInterruptedRequestIsNotCompleted() async throws {
        try await run { fixture in
            let body = AppMetricaSamples.request(clientID: "9")
            fixture.bus.fail(with: BusError(.unavailable, message: "no bus"))
            #expect(await post(fixture, body: body).status == 503)
            fixture.bus.fail(with: nil)
            fixture.time.advance(by: .seconds(86_401))
            #expect(refusal(await post(fixture, body: body)) == "409 conflict ")
            #expect(fixture.bus.tasks.isEmpty)
        }
    }

    @Test func elementsAreSentAsPartsWithContents() async throws {
        try await run { fixture in
            let elements = (0..<1_001).map { AppMetricaSamples.element("Text \($0)", ids: ["\($0)"]) }
            _ = try id(await post(fixture, body: AppMetricaSamples.request(elements: elements)))
            let task = try #require(fixture.bus.tasks.first)
            let parts = fixture.bus.longParts
            #expect(task.hasListedContents)
            #expect(task.content.platforms == [.android])
            #expect(task.target.list == .parts(count: parts.count, entries: 1_001))
            #expect(parts.allSatisfy { $0.task == task.id })
            #expect(parts.map(\.number) == Array(0..<parts.count))
            #expect(parts.reduce(0) { $0 + $1.contents.count } == 1_001)
        }
    }

    @Test func aShortListWithContentsPrecedesItsTask() async throws {
        try await run { fixture in
            let elements = (0..<3).map { AppMetricaSamples.element("Text \($0)", ids: ["\($0)"]) }
            _ = try id(await post(fixture, body: AppMetricaSamples.request(elements: elements)))
            guard case .part(let part) = fixture.bus.messages.first, case .task(let task) = fixture.bus.messages.last
            else {
                Issue.record("the part does not precede the task")
                return
            }
            #expect(part.contents.count == 3)
            #expect(task.target.list == .parts(count: 1, entries: 3))
        }
    }

    @Test(arguments: [
        (#""group_id":2"#, "400 invalid_parameter push_batch_request.group_id"),
        (#""tag":"""#, "400 invalid_parameter push_batch_request.tag"),
        (#""group_id":"1""#, "400 invalid_parameter push_batch_request.group_id"),
        (#""batch":[]"#, "400 invalid_parameter push_batch_request.batch"),
        (#""client_transfer_id":9223372036854775808"#, "400 invalid_parameter push_batch_request.client_transfer_id"),
    ])
    func aRefusedRequestHasNoEffect(_ member: String, expected: String) async throws {
        try await run { fixture in
            let response = await post(fixture, body: AppMetricaSamples.request(replacing: member))
            #expect(refusal(response) == expected, "\(response.text)")
            #expect(fixture.bus.sent.isEmpty)
            let listed = try await fixture.listed()
            #expect(listed.isEmpty)
        }
    }

    @Test func aMissingFieldIsMissing() async throws {
        try await run { fixture in
            let response = await post(fixture, body: #"{"push_batch_request":{"group_id":1,"tag":"a"}}"#)
            #expect(refusal(response) == "400 missing_parameter push_batch_request.batch")
        }
    }

    @Test func aBodyThatIsCutOffIsRefused() async throws {
        try await run { fixture in
            let body = AppMetricaSamples.request()
            let response = await post(fixture, body: String(body.dropLast(3)))
            #expect(refusal(response) == "400 query_error ")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func otherBodiesAreRefusedInTheSameForm() async throws {
        try await run { fixture in
            let typed = await fixture.json(
                "POST", Self.path, json: "a=b", as: .poster,
                headers: ["Content-Type": "application/x-www-form-urlencoded"])
            #expect(refusal(typed) == "415 query_error ")
            let large = await fixture.sendHead(
                "POST", Self.path, bodyBytes: TransferRoutes.bodyBytesMaximum + 1,
                headers: ["Authorization": fixture.authorization(.poster)])
            #expect(large.map { refusal($0) } == "413 query_error ")
        }
    }

    @Test func anArchivedGroupIsRefused() async throws {
        try await run { fixture in
            try await archiveGroup(fixture)
            let response = await post(fixture, body: AppMetricaSamples.request())
            #expect(refusal(response) == "400 invalid_parameter push_batch_request.group_id")
            #expect(response.text.contains("archived"))
        }
    }

    @Test func anArchivedGroupAnswersARepeatAsBefore() async throws {
        try await run { fixture in
            let body = AppMetricaSamples.request(clientID: "3")
            let first = await post(fixture, body: body)
            try await archiveGroup(fixture)
            let sent = fixture.bus.sent.count
            #expect(await post(fixture, body: body).text == first.text)
            #expect(refusal(await post(fixture, body: body + " ")).hasPrefix("400 invalid_parameter"))
            #expect(fixture.bus.sent.count == sent)
        }
    }

    private func archiveGroup(_ fixture: IngestFixture) async throws {
        var archived = Self.group
        archived.isArchived = true
        _ = try await fixture.groups.save(archived, in: fixture.news)
    }

    /// A group of another app looks like one that does not exist.
    @Test func aGroupOfAnotherAppIsUnknown() async throws {
        try await run { fixture in
            let response = await post(fixture, body: AppMetricaSamples.request(), as: .shop)
            #expect(refusal(response) == "400 invalid_parameter push_batch_request.group_id")
            let transfer = try id(await post(fixture, body: AppMetricaSamples.request(clientID: "3")))
            #expect(refusal(await status(fixture, "\(transfer)", as: .shop)) == "404 not_found ")
            #expect(refusal(await status(fixture, "1/3", as: .shop)) == "404 not_found ")
            #expect(await status(fixture, "1/3", as: .publishers).status == 200)
        }
    }

    @Test func aKeyThatMayNotPublishIsRefused() async throws {
        try await run { fixture in
            #expect(refusal(await post(fixture, body: AppMetricaSamples.request(), as: .news)) == "403 access_denied ")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    /// The client gets an id, and the reason with the status; nothing is sent.
    @Test func aTransferWithoutAMessageForAPlatformFails() async throws {
        try await run { fixture in
            let devices = #"[{"id_type":"google_aid","id_values":["eb5f3ec8-2e3e-492f-b15b-d21860b0a7c1"]}]"#
            let body = AppMetricaSamples.request(
                clientID: "4", messages: #"{"iOS":{"silent":true}}"#, devices: devices)
            let transfer = try id(await post(fixture, body: body))
            #expect(fixture.bus.sent.isEmpty)
            let status = await status(fixture, "\(transfer)").json["transfer"]
            #expect(status?["status"]?.text == "failed")
            #expect(
                status?["errors"]?.elements?.map(\.text)
                    == ["Identifier type google_aid requires defined message for platform android"])
            #expect(try id(await post(fixture, body: body)) == transfer)
        }
    }

    @Test func theStatusFollowsTheTasks() async throws {
        try await run { fixture in
            fixture.time.setWallClock(to: Timestamp(milliseconds: 1_787_934_615_250))
            let elements = (0..<2).map { AppMetricaSamples.element("Text \($0)", ids: ["1", "2"]) }
            let transfer = try id(
                await post(fixture, body: AppMetricaSamples.request(clientID: "6", elements: elements)))
            let tasks = fixture.bus.tasks
            #expect(tasks.count == 2)
            func state() async -> String? {
                await status(fixture, "\(transfer)").json["transfer"]?["status"]?.text
            }
            #expect(await state() == "pending")
            try plan(fixture, task: tasks[0])
            #expect(await state() == "in_progress")
            try plan(fixture, task: tasks[1])
            for task in tasks {
                try fixture.ledger.resolve(job: 0, unmatched: 0, of: task.id)
                _ = fixture.ledger.close([], of: task.id)
            }
            #expect(await state() == "sent")
            let shown = await status(fixture, "1/6")
            let ids = tasks.map { "\"\($0.id)\"" }.joined(separator: ",")
            #expect(
                shown.text.hasPrefix(
                    """
                    {"transfer":{"id":\(transfer),"group_id":1,"status":"sent","tag":"spring",\
                    "creation_date":"2026-08-28T16:30:15+00:00","client_transfer_id":6,"tasks":[\(ids)],"unmatched":0,\
                    "counts":{"targeted":0,"open":0,"delivered":0,
                    """.replacing("\n", with: "")), "\(shown.text)")
        }
    }

    @Test(arguments: ["1", "0", "x", "1/2", "2/1", "1/x", "99999999999999999999"])
    func anUnknownTransferIsNotFound(_ path: String) async throws {
        try await run { fixture in
            #expect(refusal(await status(fixture, path)) == "404 not_found ")
        }
    }

    /// A text that fits no payload is refused before anything is sent, with its element.
    @Test func aMessageThatNoProviderTakesIsRefused() async throws {
        try await run { fixture in
            let text = String(repeating: "x", count: 4_000)
            let elements = ["Hello", text].map { AppMetricaSamples.element($0, ids: ["1"]) }
            let response = await post(fixture, body: AppMetricaSamples.request(elements: elements))
            #expect(refusal(response) == "400 invalid_parameter push_batch_request.batch[1].messages")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func unknownFieldsAreNamedInTheAnswer() async throws {
        try await run { fixture in
            let response = await post(fixture, body: AppMetricaSamples.request(replacing: #""later":1"#))
            #expect(
                response.json["push_response"]?["warnings"]?.elements?.map(\.text)
                    == ["later: unknown field, ignored"])
        }
    }
}
