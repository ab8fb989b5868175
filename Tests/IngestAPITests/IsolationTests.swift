import Bus
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Signing
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// Neither of two apps can read, push to or see anything of the other, on any endpoint.
@Suite struct IsolationTests {
    /// The data of `news` that another app tries to reach.
    private struct Possessions {
        let subscriber: String
        let task: PushTask
        let group: Int64
        let transfer: Int64
        let before: [String]

        /// That of the task's push to the subscriber.
        var proof: String {
            guard let key = task.receiptKey, let device = DeviceID(subscriber) else { return "" }
            return "\(ReceiptProver(key).proof(of: device, on: .ios, day: ReceiptProof.day(of: task.begins)))"
        }
    }

    /// Bodies of the routes that refuse an empty body from every caller.
    private static let bodies = [
        "POST /v1/tasks": #"{"devices":["SUBSCRIBER"],"users":["ada"],"audience":{"all":true},"message":{"body":"x"}}"#,
        "POST /v1/tasks/batch": #"{"tasks":[{"users":["ada"],"message":{"body":"x"}}]}"#,
        "POST /v1/previews": #"{"devices":["SUBSCRIBER"],"message":{"body":"x"}}"#,
        "POST /v1/receipts":
            #"{"receipts":[{"task":"TASK","device":"SUBSCRIBER","proof":"PROOF","kind":"opened"}]}"#,
        "POST /v1/moments": #"{"device":"SUBSCRIBER"}"#,
        "POST /v1/stream-tickets": #"{"topics":["news"]}"#,
        "POST /push/v2/admin/task":
            #"{"app_id":"example-news","topics":["news"],"payloads":{"ios":{"aps":{"alert":{"body":"x"}}}}}"#,
        "POST /push/v1/send-batch": AppMetricaSamples.request(group: "4"),
        "POST /push/v1/management/groups": #"{"group":{"app_id":7,"name":"new"}}"#,
        "PUT /push/v1/management/group/:id": #"{"group":{"name":"new"}}"#,
        "POST \(ContextPushSamples.schedule)": ContextPushSamples.message(["content": #"{"title":"new","body":"x"}"#]),
        "POST \(ContextPushSamples.cancel)": ContextPushSamples.cancellation(),
        "POST \(PushwooshSamples.start)": PushwooshSamples.request(
            [PushwooshSamples.notification(["live_activity_id": #""new""#])], auth: nil),
        "POST \(PushwooshSamples.update)": PushwooshSamples.request([PushwooshSamples.change()], auth: nil),
        "POST /subscribers": #"{"proto":"fcm","token":"\#(SampleTokens.fcm)"}"#,
        "POST /subscriber/:id/subscriptions": #"{"sport":{}}"#,
        "POST /v1/dead-letters/replay": #"{"positions":["0:0"]}"#,
        "PUT /v1/audiences/:name": #"{"topic":"news"}"#,
        "POST /v1/audiences/count": #"{"audience":{"all":true}}"#,
        "POST /event/:event": #"{"msg":"x"}"#,
        "POST /v1/activities": ActivitySamples.start(#""id":"new","users":["ada"]"#),
        "PATCH /v1/activities/:activity": #"{"content_state":{}}"#,
        "POST /v1/activities/:activity/end": "{}",
        "PUT /v1/devices/:id/activities/:activity": #"{"token":"\#(ActivitySamples.token)"}"#,
        "PUT /v1/devices": #"{"protocol":"fcm","token":"\#(SampleTokens.fcm)"}"#,
    ]
    /// Routes without data of any app.
    private static let keyless = ["GET /carillon.js", "GET /carillon-worker.js", "GET /openapi.yaml", "GET /status"]

    /// A call of Pushwoosh's SDK.
    private static func isDeviceCall(_ route: String) -> Bool {
        route.hasPrefix("POST /json/1.3/") && bodies[route] == nil || route.hasPrefix("POST /api/v2/device-api/")
    }

    /// Queries of the routes that require one.
    private static let queries = [
        "GET /v1/devices": "?user=ada", "GET \(AppMetricaGroupTests.groups)": "?app_id=7",
    ]

    /// Everything readable of `news`, with its own key.
    private func view(_ fixture: IngestFixture, subscriber: String, task: TaskID) async -> [String] {
        var views: [String] = []
        for path in [
            "/subscriber/\(subscriber)", "/subscriber/\(subscriber)/subscriptions", "/v1/tasks", "/v1/tasks/\(task)",
            "/v1/tasks/\(task)/report", "/v1/tasks/\(task)/content", "/v1/app",
            "/v1/tasks/\(task)/devices/\(subscriber)",
            "/v1/devices/\(subscriber)", "/v1/users/ada/devices", "/v1/audiences/readers", "/v1/audiences",
            "/v1/activities", "/v1/activities/order",
            "/v1/activities/order/devices", "/v1/dead-letters", "/v1/dead-letters/0:0",
            "\(AppMetricaGroupTests.groups)?app_id=7",
        ] {
            let response = await fixture.json("GET", path, as: .owner)
            #expect(response.status == 200, "\(path)")
            views.append(response.text)
        }
        return views
    }

    private func possessions(_ fixture: IngestFixture) async throws -> Possessions {
        let subscriber = try await fixture.subscriber("external_user_id=ada")
        #expect(await fixture.form("POST", "/subscriber/\(subscriber)/subscriptions/news").status == 201)
        #expect(await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .owner).status == 201)
        let audience = #"{"topic":"ada"}"#
        #expect(await fixture.json("PUT", "/v1/audiences/readers", json: audience, as: .owner).status == 201)
        let group = TransferGroup(id: 4, name: "ada", rate: 100)
        #expect(try await fixture.groups.save(group, in: fixture.news) == .saved)
        let task = try #require(fixture.bus.tasks.first)
        _ = try fixture.ledger.plan(
            task.id, as: TaskPlan(app: task.app, jobs: 1, isFast: true, deadline: task.deadline, policy: .atLeastOnce)
        )
        let device = try #require(DeviceID(subscriber))
        let segment = SegmentID(task.app, number: device.index.segment)
        _ = fixture.ledger.mark(SegmentSet([device.index.offset]), of: task.id, in: segment)
        _ = try await fixture.archive.fix(report: Array("{}".utf8), of: task.id)
        try await fixture.bury("ada", key: Topics.key(task.id))
        let activity = ActivitySamples.start(#""id":"order","users":["ada"]"#)
        #expect(await fixture.json("POST", "/v1/activities", json: activity, as: .owner).status == 201)
        for name in ["registerDevice", "setActivityToken"] {
            #expect(await fixture.device(name, PushwooshSamples.tokens, as: .owner).isDone)
        }
        let message = await fixture.schedule([
            "idempotency_key": #""k""#, "delivery_method": #""context_aware""#,
        ])
        #expect(message.status == 200, "\(message.text)")
        let batch = AppMetricaSamples.request(group: "4", clientID: "5")
        let sent = await fixture.json("POST", "/push/v1/send-batch", json: batch, as: .owner)
        guard case .integer(let transfer) = sent.json["push_response"]?["transfer_id"] else {
            throw SetupError(description: "no transfer in \(sent.text)")
        }
        return Possessions(
            subscriber: subscriber, task: task, group: group.id, transfer: transfer,
            before: await view(fixture, subscriber: subscriber, task: task.id))
    }

    private func path(_ pattern: String, news: Possessions) -> String {
        pattern.replacing(":app", with: "news")
            .replacing("/tasks/:id", with: "/tasks/\(news.task.id)")
            .replacing("/status/:transfer", with: "/status/\(news.transfer)")
            .replacing("/status/:group/:client", with: "/status/\(news.group)/5")
            .replacing("/group/:id", with: "/group/\(news.group)").replacing(":id", with: news.subscriber)
            .replacing(":event", with: "news").replacing(":topic", with: "news").replacing(
                ":device", with: news.subscriber
            )
            .replacing(":activity", with: "order").replacing(":position", with: "0:0").replacing(":user", with: "ada")
            .replacing(":name", with: "readers")
    }

    /// Sends a route's request with the ids of `news` in its path and body.
    private func ask(
        _ route: String, news: Possessions, as key: IngestFixture.Key, fixture: IngestFixture
    ) async -> RawClient.Response {
        let parts = route.split(separator: " ").map(String.init)
        let local = route.replacing("/apps/:app", with: "")
        let body = (Self.bodies[local] ?? "").replacing("SUBSCRIBER", with: news.subscriber)
            .replacing("TASK", with: "\(news.task.id)").replacing("PROOF", with: news.proof)
        return await fixture.json(
            parts[0], path(parts[1], news: news) + (Self.queries[local] ?? ""),
            json: Self.isDeviceCall(local) ? PushwooshSamples.tokens : body, as: key)
    }

    /// Goal: the test below sees refusals because of the wrong app only, also on new routes. Method: the owner sends
    /// the same request, which must succeed.
    @Test func everyRequestIsGoodFromItsOwner() async throws {
        try await IngestFixture.run { first in
            for route in first.routeNames where !Self.keyless.contains(route) {
                try await IngestFixture.run { fixture in
                    let response = await ask(route, news: try await possessions(fixture), as: .owner, fixture: fixture)
                    #expect((200...299).contains(response.status), "\(route): \(response.status) \(response.text)")
                    // Pushwoosh's answers have a code of their own.
                    #expect(response.code == nil || response.code == 200, "\(route): \(response.text)")
                }
            }
        }
    }

    /// Goal: no endpoint shows `shop` any data of `news`, or changes it. Method: every route, with the ids of `news`
    /// and a key with every scope in `shop`; then the data of `news` is compared.
    @Test func noEndpointReachesAnotherApp() async throws {
        try await IngestFixture.run { fixture in
            let news = try await possessions(fixture)
            for route in fixture.routeNames where !Self.keyless.contains(route) {
                let response = await ask(route, news: news, as: .shop, fixture: fixture)
                // Every app may have a user, an audience, an event or a campaign of this name.
                let namesOnlyAUser = route.contains(" /v1/users/:user")
                // A preflight has no key, and says nothing of any app's data.
                let isPreflight = route.hasPrefix("OPTIONS ")
                let isOfOwnName =
                    namesOnlyAUser || route.contains(" /v1/audiences/:name") || route.contains(" /event/:event")
                    || route.contains(" /v1/campaigns/:campaign")
                if route.contains(":") && !isOfOwnName && !isPreflight || route.hasSuffix(RichieTests.path) {
                    #expect(response.status == 404, "\(route): \(response.text)")
                }
                let isOfPushwoosh = route.hasPrefix("POST /json/1.3/") || Self.isDeviceCall(route)
                let isOfContextPush = route.hasPrefix("POST /v1/campaigns/")
                if route.hasSuffix(AppMetricaGroupTests.groups) || isOfContextPush || isOfPushwoosh {
                    #expect(response.status == 403, "\(route)")
                }
                let text = namesOnlyAUser ? response.text.replacing(#""user":"ada","#, with: "") : response.text
                for secret in [SampleTokens.apns.lowercased(), "\(news.task.id)"] {
                    #expect(!text.contains(secret), "\(route): \(response.text)")
                }
                // As a word: an id in hexadecimal may contain these letters.
                #expect(!text.split { !$0.isLetter && !$0.isNumber }.contains("ada"), "\(route): \(response.text)")
            }
            #expect(fixture.bus.tasks.filter { $0.app == fixture.news }.count == 3)
            #expect(!fixture.bus.sent.contains { $0.channel == Topics.receipts.channel })
            #expect(await view(fixture, subscriber: news.subscriber, task: news.task.id) == news.before)
        }
    }

    /// Goal: naming devices and users of another app reaches no device. Method: a task of `shop` that names them.
    @Test func theNamesOfOtherAppsMatchNoDevice() async throws {
        try await IngestFixture.run { fixture in
            let news = try await possessions(fixture)
            let body = (Self.bodies["POST /v1/tasks"] ?? "").replacing("SUBSCRIBER", with: news.subscriber)
            let size = await fixture.json("POST", "/v1/tasks?dry_run=true", json: body, as: .shop)
            #expect(size.text == #"{"devices":0}"#)
            let posted = await fixture.json("POST", "/v1/tasks", json: body, as: .shop)
            #expect(posted.status == 201)
            let id = try #require(posted.json["id"]?.text)
            let trace = await fixture.json("GET", "/v1/tasks/\(id)/devices/\(news.subscriber)", as: .shop)
            #expect(trace.json["state"] == .string("not_targeted"))
            let seen = await fixture.json("GET", "/v1/tasks/\(id)", as: .owner)
            #expect(seen.status == 404)
            let key = ["Idempotency-Key": "k"]
            let first = await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .owner, headers: key)
            let second = await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .shop, headers: key)
            #expect(first.status == 201 && second.status == 201)
            #expect(first.json["id"] != second.json["id"])
        }
    }
}
