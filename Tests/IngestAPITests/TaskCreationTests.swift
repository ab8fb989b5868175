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

/// `POST /v1/tasks`: the accepted tasks; a task is accepted only once it is durable.
@Suite struct TaskCreationTests {
    static let small = #"{"audience":{"topic":"news"},"message":{"title":"Hello"}}"#

    @Test func whatIsAskedForIsOnTheBus() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/tasks",
                json: """
                    {"audience":{"all_of":[{"topic":"news"},{"not":{"topic":"sport"}}]},"users":["u1"],"devices":["J8lHY4X1XkU"],
                     "platforms":["ios","android"],
                     "message":{"title":{"default":"Hello","fr":"Bonjour"},"body":"${var.name}","badge":"increment"},
                     "payloads":{"ios":{"aps":{"alert":"Hi"}}},
                     "options":{"collapse_id":"c","priority":"normal","time_to_live":"12h","ambiguous":"at_most_once"},
                     "variables":{"name":"Ada"}}
                    """, as: .publisher)
            #expect(response.status == 201, "\(response.text)")
            let task = try #require(fixture.bus.tasks.first)
            #expect(response.headers["location"] == "/v1/tasks/\(task.id)")
            #expect(response.json["id"] == .string("\(task.id)"))
            #expect(response.json["app"] == .string("news"))
            #expect(response.json["created"] == .string("\(fixture.time.now)"))
            #expect(response.json["deadline"] == .string("\(fixture.time.now + .seconds(43_200))"))

            #expect(task.app == fixture.news)
            #expect(task.credential == fixture.keyID(.publisher))
            #expect(task.dialect == .native)
            #expect(try task.target.audience == .all([.topic(TopicName("news")), .not(.topic(TopicName("sport")))]))
            let device = try #require(DeviceID("J8lHY4X1XkU"))
            #expect(try task.target.list == .entries([.alias(Alias(.externalUser, value: "u1")), .device(device)]))
            #expect(task.content.message?.title?.text(for: "fr_CA") == "Bonjour")
            #expect(task.content.message?.badge == .increment)
            #expect(task.content.payloads.keys.map(\.rawValue) == ["ios"])
            #expect(task.content.variables == ["name": "Ada"])
            #expect(task.options.collapseID == "c")
            #expect(task.options.priority == .normal)
            #expect(task.options.timeToLive == .seconds(43_200))
            #expect(task.options.ambiguity == .atMostOnce)
            #expect(fixture.bus.sent.map(\.key) == [Array(task.id.key.utf8)])
        }
    }

    @Test func everyDialectIsCounted() async throws {
        try await IngestFixture.run { fixture in
            let page = fixture.metrics.exposition()
            for dialect in TaskDialect.allCases {
                let line = "carillon_ingest_accepted_tasks_total{dialect=\"\(dialect.rawValue)\"} 0"
                #expect(page.contains(line), "\(dialect)")
            }
            #expect(await fixture.json("POST", "/v1/tasks", json: Self.small, as: .publisher).status == 201)
            let counter = fixture.metrics.counter(.ingestTasksAccepted, labels: ["dialect": "native"])
            #expect(counter.value == 1)
        }
    }

    @Test func theAppsTimeToLiveHoldsUnlessGiven() async throws {
        try await IngestFixture.run { fixture in
            #expect(await fixture.json("POST", "/v1/tasks", json: Self.small, as: .publisher).status == 201)
            let task = try #require(fixture.bus.tasks.first)
            #expect(task.options.timeToLive == .seconds(3_600))
            #expect(task.options.collapseID == nil)
            #expect(task.content.platforms == Set(Platform.allCases))
        }
    }

    /// Goal: the web's part of a task is accepted as it was given, with the app's address of that moment.
    @Test func theContentForTheWebAndForAddressesIsKept() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/tasks",
                json: #"""
                    {"audience":{"topic":"news"},"message":{"title":"x","url":"https://news.example/1"},
                    "payloads":{"web":{"notification":{"title":"T","icon":null,"silent":true},"own":null},
                    "windows":{"notification":{"title":"T","launch":"l"}},"http":{"a":[1,null],"b":null}}}
                    """#, as: .publisher)
            #expect(response.status == 201, "\(response.text)")
            let content = try #require(fixture.bus.tasks.last?.content)
            #expect(content.message?.url == "https://news.example/1")
            #expect(content.navigate == "https://news.example/")
            let payloads = content.payloads.mapValues { JSON.object($0).compactText }
            #expect(payloads[.web] == #"{"notification":{"title":"T","silent":true}}"#)
            #expect(payloads[.windows] == #"{"notification":{"title":"T","launch":"l"}}"#)
            #expect(payloads[.http] == #"{"a":[1,null]}"#)
            let phones = #"{"audience":{"topic":"news"},"message":{"title":"x"},"platforms":["ios"]}"#
            #expect(await fixture.json("POST", "/v1/tasks", json: phones, as: .publisher).status == 201)
            #expect(fixture.bus.tasks.last?.content.navigate == nil)
        }
    }

    /// Messages of single platforms need no message for all; the app's language counts for them too.
    @Test func theMessagesOfPlatformsAreKept() async throws {
        try await IngestFixture.run { fixture in
            let response = await fixture.json(
                "POST", "/v1/tasks",
                json: #"""
                    {"audience":{"topic":"news"},"messages":{
                    "ios":{"title":"T","ios":{"thread":"t","attachments":[{"id":"1","url":"https://news.example/a.mp4"}]}},
                    "android":{"body":"B","android":{"light":{"color":"#FF8000"},"time_to_live":"3m","urgency":"normal"}}}}
                    """#, as: .publisher)
            #expect(response.status == 201, "\(response.text)")
            let task = try #require(fixture.bus.tasks.last)
            #expect(task.content.message == nil)
            #expect(task.content.targetedPlatforms == [.ios, .android])
            #expect(task.content.messages[.ios]?.apple?.attachments.map(\.url) == ["https://news.example/a.mp4"])
            let android = try #require(task.content.messages[.android]?.android)
            #expect(android.light?.color == HexColor("#FF8000") && android.light?.onMilliseconds == 500)
            #expect(android.timeToLive == .seconds(180) && android.priority == .normal)
            #expect(response.json["deadline"] == .string("\(task.deadline)"))
            let content = try #require(try await fixture.archive.content(of: task.id))
            #expect(try TaskMessage(decoding: content) == .task(task))
        }
    }

    /// When the task is on the bus, its content is in the archive, in the same bytes, and the task in its app's list.
    @Test func theArchiveHoldsItToo() async throws {
        try await IngestFixture.run { fixture in
            #expect(await fixture.json("POST", "/v1/tasks", json: Self.small, as: .publisher).status == 201)
            let task = try #require(fixture.bus.tasks.first)
            #expect(try await fixture.archive.content(of: task.id) == fixture.bus.sent.first?.value)
            let listed = try await fixture.archive.tasks(of: fixture.news, before: nil, limit: 10)
            #expect(listed.map(\.task) == [task.id])
        }
    }

    @Test func theTraceOfTheCallerGoesOn() async throws {
        try await IngestFixture.run { fixture in
            let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
            _ = await fixture.json(
                "POST", "/v1/tasks", json: Self.small, as: .publisher, headers: ["traceparent": trace])
            let header = try #require(fixture.bus.sent.first?.headers.first)
            #expect(String(decoding: header.value, as: UTF8.self).contains("0af7651916cd43dd8448eb211c80319c"))
        }
    }

    /// Goal: a long list is split without losing or duplicating an entry, and its parts precede their task under one
    /// key. When the task cannot be resolved immediately, no part is on `tasks`, where it would delay single pushes.
    @Test(arguments: [401, 1_000, 1_001, 30_000])
    func aLongListGoesInParts(count: Int) async throws {
        try await IngestFixture.run { fixture in
            let users = (0..<count).map { "\"user-\($0)\"" }.joined(separator: ",")
            let response = await fixture.json(
                "POST", "/v1/tasks", json: #"{"users":[\#(users)],"message":{"body":"x"}}"#, as: .publisher)
            #expect(response.status == 201, "\(response.text)")
            let task = try #require(fixture.bus.tasks.first)
            let isLong = count > TargetList.atOnceMaximum
            let parts = isLong ? fixture.bus.longParts : fixture.bus.parts
            #expect(fixture.bus.messages.count == (isLong ? 1 : parts.count + 1), "messages on tasks")
            #expect(task.target.list == .parts(count: parts.count, entries: count))
            #expect(parts.map(\.number) == Array(0..<parts.count))
            #expect(parts.allSatisfy { $0.task == task.id && $0.entries.count <= TargetList.entriesMaximum })
            let wanted = try (0..<count).map { TargetEntry.alias(try Alias(.externalUser, value: "user-\($0)")) }
            #expect(parts.flatMap(\.entries) == wanted)
            #expect(Set(fixture.bus.sent.map(\.key)).count == 1)
            #expect(fixture.bus.messages.last == .task(task))
            #expect(fixture.bus.sent.last?.channel == Topics.tasks.channel)
        }
    }

    /// The longest names, all of whose bytes have to be escaped.
    @Test func entriesThatTakeMuchRoomStayWithinAMessage() async throws {
        try await IngestFixture.run { fixture in
            let users = (0..<399).map { "\"\(String(repeating: #"\""#, count: 250))\($0)\"" }.joined(separator: ",")
            let response = await fixture.json(
                "POST", "/v1/tasks", json: #"{"users":[\#(users)],"message":{"body":"x"}}"#, as: .publisher)
            #expect(response.status == 201, "\(response.text)")
            #expect(fixture.bus.parts.map(\.entries.count).reduce(0, +) == 399)
        }
    }

    @Test(arguments: [BusError.Code.full, .unavailable, .refused, .closed])
    func whatTheBusDoesNotTakeIsNotAccepted(code: BusError.Code) async throws {
        try await IngestFixture.run { fixture in
            fixture.bus.fail(with: BusError(code, message: "for the test"))
            let response = await fixture.json("POST", "/v1/tasks", json: Self.small, as: .publisher)
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] == "5")
            #expect(response.headers["content-type"] == "application/problem+json")
            #expect(await fixture.json("GET", "/v1/tasks", as: .publisher).json["tasks"] == .array([]))
        }
    }

    /// Goal: a task whose acknowledgement was lost keeps its content. Method: it gets a plan before its send fails.
    @Test func whatIsUnderWayAllTheSameKeepsItsContent() async throws {
        try await IngestFixture.run { fixture in
            fixture.bus.fail(with: BusError(.unavailable, message: "for the test")) {
                [ledger = fixture.ledger] messages in
                for message in messages {
                    guard case .task(let task)? = try? TaskMessage(decoding: message.value) else { continue }
                    let plan = TaskPlan(
                        app: task.app, jobs: 1, isFast: true, deadline: task.deadline, policy: .atLeastOnce)
                    _ = try? ledger.plan(task.id, as: plan)
                }
            }
            #expect(await fixture.json("POST", "/v1/tasks", json: Self.small, as: .publisher).status == 503)
            let tasks = await fixture.json("GET", "/v1/tasks", as: .publisher).json["tasks"]?.elements
            #expect(tasks?.map { $0["state"] } == [.string("sending")])
        }
    }

    /// An app with a provider gets no warning about platforms that the task does not address.
    @Test func aPlatformWithoutAProviderIsWarnedOf() async throws {
        try await IngestFixture.run { fixture in
            func fields(_ body: String, as user: IngestFixture.Key) async -> [JSON?] {
                let response = await fixture.json("POST", "/v1/tasks", json: body, as: user)
                #expect(response.status == 201, "\(response.text)")
                return (response.json["warnings"]?.elements ?? []).map { $0["field"] }
            }
            let payload = #"{"audience":{"topic":"a"},"payloads":{"ios":{"aps":{"alert":"x"}}}}"#
            #expect(await fields(Self.small, as: .publisher) == [])
            #expect(await fields(payload, as: .publisher) == [])
            #expect(await fields(Self.small, as: .shop) == Platform.allCases.map { _ in .string("platforms") })
            #expect(await fields(payload, as: .shop) == [.string("payloads.ios")])
            let own = #"{"audience":{"topic":"a"},"messages":{"ios":{"body":"x"}}}"#
            #expect(await fields(own, as: .shop) == [.string("messages.ios")])
        }
    }

    /// Values are nested deeper in the task message, and its consumers must be able to decode it.
    @Test(arguments: [(20, 201), (29, 400)])
    func whatIsNestedIsReadFromTheBus(depth: Int, status: UInt16) async throws {
        try await IngestFixture.run { fixture in
            let nest = String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
            let body = #"{"audience":{"topic":"a"},"payloads":{"ios":{"aps":{"alert":"x"},"nest":\#(nest)}}}"#
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(response.status == status, "\(response.text)")
            #expect(fixture.bus.tasks.count == (status == 201 ? 1 : 0))
        }
    }

    /// The bus fails between the parts and the task.
    @Test func halfAListIsNotAccepted() async throws {
        try await IngestFixture.run { fixture in
            fixture.bus.fail(with: BusError(.unavailable, message: "for the test"), after: 1)
            let users = (0..<500).map { "\"user-\($0)\"" }.joined(separator: ",")
            let response = await fixture.json(
                "POST", "/v1/tasks", json: #"{"users":[\#(users)],"message":{"body":"x"}}"#, as: .publisher)
            #expect(response.status == 503)
            #expect(fixture.bus.tasks.isEmpty)
            #expect(fixture.bus.parts.count == 2)
        }
    }

    @Test(arguments: [StoreError.Code.unavailable, .full, .refused])
    func whatTheStoreDoesNotTakeIsNotAccepted(code: StoreError.Code) async throws {
        try await IngestFixture.run { fixture in
            fixture.archive.fail(with: StoreError(code, message: "for the test"))
            let response = await fixture.json("POST", "/v1/tasks", json: Self.small, as: .publisher)
            #expect(response.status == 503)
            #expect(response.headers["retry-after"] == "5")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test(arguments: [
        (#"{"all":true}"#, true), (#"{"not":{"topic":"a"}}"#, true),
        (#"{"any":[{"topic":"a"},{"not":{"topic":"b"}}]}"#, true), (#"{"all_of":[{"all":true},{"topic":"a"}]}"#, false),
        (#"{"topic":"a"}"#, false), (#"{"all_of":[{"topic":"a"},{"not":{"topic":"b"}}]}"#, false),
    ])
    func ringingEverybodyTakesItsOwnScope(audience: String, isBroadcast: Bool) async throws {
        try await IngestFixture.run { fixture in
            let body = #"{"audience":\#(audience),"message":{"body":"x"}}"#
            let response = await fixture.json("POST", "/v1/tasks", json: body, as: .publisher)
            #expect(response.status == (isBroadcast ? 403 : 201))
            #expect(await fixture.json("POST", "/v1/tasks", json: body, as: .owner).status == 201)
            #expect(fixture.bus.tasks.count == (isBroadcast ? 1 : 2))
        }
    }
}
