import Bus
import JSONKit
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// Windows of tasks, and `POST /v1/moments`, which releases them.
@Suite struct MomentTests {
    private static let hour = Duration.seconds(3_600)
    private static let header = "Carillon-Device-Token"

    private func body(_ more: String = #""deliver_within":"1h""#, users: String = #"["ada"]"#) -> String {
        #"{"users":\#(users),"message":{"title":"Hello"},\#(more)}"#
    }

    /// A task for `ada` that waits as the scheduler has it.
    private func wait(_ fixture: IngestFixture, _ more: String = #""deliver_within":"1h""#) async throws -> PushTask {
        let known = fixture.bus.schedules.count
        let answer = await fixture.json("POST", "/v1/tasks", json: body(more), as: .publisher)
        try #require(answer.status == 201, "\(answer.text)")
        let tasks = fixture.bus.schedules.dropFirst(known).compactMap { record -> PushTask? in
            guard case .task(let task) = record, !task.isWithdrawn else { return nil }
            return task
        }
        let task = try #require(tasks.first)
        let window = try #require(task.window)
        _ = fixture.moments.enter(task.id, until: window.ends, of: UserKey(window.user, of: task.app))
        fixture.index.add([RetryEntry(waiting: task)], to: RetryShard(scheduled: task.id))
        return task
    }

    private func report(
        _ body: String, _ fixture: IngestFixture, as key: IngestFixture.Key = .news, headers: [String: String] = [:]
    ) async -> RawClient.Response {
        await fixture.json("POST", "/v1/moments", json: body, as: key, headers: headers)
    }

    /// What the service does after its answers, until nothing is left.
    private func removeReleased(_ fixture: IngestFixture) async {
        fixture.releasedTasks.stop()
        await fixture.releasedTasks.run()
    }

    @Test func aTaskWaitsForTheEndOfItsWindow() async throws {
        try await IngestFixture.run { fixture in
            let now = fixture.time.now
            let answer = await fixture.json("POST", "/v1/tasks", json: body(), as: .publisher)
            #expect(answer.status == 201)
            #expect(answer.json["window"]?["ends"] == .string("\(now + Self.hour)"))
            #expect(answer.json["deadline"] == .string("\(now + Self.hour)"))
            guard case .task(let task)? = fixture.bus.schedules.first else { throw SetupError(description: "no task") }
            #expect(task.begins == now + .seconds(3_300) && task.deadline == now + Self.hour)
            let window = try #require(task.window)
            #expect(window.opens == now && window.ends == now + Self.hour && window.method == .contextAware)
            #expect(!window.isCompared && window.user.value == "ada")
            let status = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher)
            #expect(status.json["state"] == .string("scheduled"))
            #expect(status.json["window"] == answer.json["window"])
        }
    }

    @Test func aTraditionalTaskIsSentWhenItsWindowOpens() async throws {
        try await IngestFixture.run { fixture in
            let now = fixture.time.now
            let fields = #""deliver_within":"1h","method":"traditional""#
            #expect(await fixture.json("POST", "/v1/tasks", json: body(fields), as: .publisher).status == 201)
            let task = try #require(fixture.bus.tasks.first)
            #expect(task.sendAt == nil && task.window?.method == .traditional && task.deadline == now + Self.hour)
            let later = fields + #","send_at":"\#(now + Self.hour)""#
            #expect(await fixture.json("POST", "/v1/tasks", json: body(later), as: .publisher).status == 201)
            guard case .task(let waiting)? = fixture.bus.schedules.first else {
                throw SetupError(description: "no task")
            }
            #expect(waiting.begins == now + Self.hour && waiting.deadline == now + Self.hour + Self.hour)
        }
    }

    /// A time to live shortens the window, and a window every time to live.
    @Test func theShorterLifeCounts() async throws {
        try await IngestFixture.run { fixture in
            let task = try await wait(fixture, #""deliver_within":"1h","options":{"time_to_live":"1m"}"#)
            #expect(task.deadline == task.begins + .seconds(60))
        }
    }

    @Test func bothMethodsAreCompared() async throws {
        try await IngestFixture.run { fixture in
            var methods: [String: DeliveryWindow.Method] = [:]
            for round in 0..<2 {
                for number in 0..<40 {
                    let text = body(
                        #""deliver_within":"1h","method":"compare","labels":{"campaign":"spring"}"#,
                        users: #"["user-\#(number)"]"#)
                    let answer = await fixture.json("POST", "/v1/tasks", json: text, as: .publisher)
                    let name = try #require(answer.json["window"]?["method"]?.text)
                    let method = try #require(DeliveryWindow.Method(rawValue: name))
                    #expect(answer.json["window"]?["compared"] == .bool(true))
                    #expect(round == 0 || methods["user-\(number)"] == method)
                    methods["user-\(number)"] = method
                }
            }
            #expect(Set(methods.values) == Set(DeliveryWindow.Method.allCases))
        }
    }

    @Test(arguments: [
        (#""deliver_within":"59s""#, "deliver_within"), (#""deliver_within":"91d""#, "deliver_within"),
        (#""deliver_within":"-1h""#, "deliver_within"), (#""deliver_within":3600"#, "deliver_within"),
        (#""deliver_within":"1h","method":"best""#, "method"), (#""method":"traditional""#, "method"),
        (#""deliver_within":"1h","send_at_local":"2026-12-24T09:00""#, "deliver_within"),
        (#""deliver_within":"1h","devices":["J8lHY4X1XkU"]"#, "deliver_within"),
        (#""deliver_within":"1h","audience":{"topic":"news"}"#, "deliver_within"),
    ])
    func windowsThatCannotBeMeantAreRefused(_ fields: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let answer = await fixture.json("POST", "/v1/tasks", json: body(fields), as: .publisher)
            #expect(answer.status == 400, "\(fields)")
            #expect(answer.json["errors"]?.elements?.map { $0["field"]?.text } == [field], "\(answer.text)")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    /// Goal: each of several users waits for moments of its own. A repeated user counts once, and a repeated request
    /// makes no more tasks.
    @Test func eachUserGetsATask() async throws {
        try await IngestFixture.run { fixture in
            let text = body(#""deliver_within":"1h","labels":{"campaign":"spring"}"#, users: #"["ada","eve","ada"]"#)
            let key = ["Idempotency-Key": "one"]
            let answer = await fixture.json("POST", "/v1/tasks", json: text, as: .publisher, headers: key)
            #expect(answer.status == 201 && answer.headers["location"] == nil, "\(answer.text)")
            let tasks = try #require(answer.json["tasks"]?.elements)
            #expect(tasks.map { $0["user"]?.text } == ["ada", "eve"])
            let ids = tasks.compactMap { $0["id"]?.text.flatMap { TaskID($0) } }
            #expect(Set(ids).count == 2 && fixture.bus.schedules.count == 2)
            let ends = fixture.time.now + Self.hour
            for (id, user) in zip(ids, ["ada", "eve"]) {
                let task = try #require(try await fixture.archive.task(id))
                #expect(task.window?.user.value == user && task.window?.ends == ends)
                #expect(task.target.list == .entries([.alias(try Samples.user(user))]))
            }
            let again = await fixture.json("POST", "/v1/tasks", json: text, as: .publisher, headers: key)
            #expect(again.json["tasks"]?.elements == tasks && fixture.bus.schedules.count == 2)
            let count = await fixture.json("POST", "/v1/tasks?dry_run=true", json: text, as: .publisher)
            #expect(count.status == 200 && count.json["devices"] == .integer(0))
        }
    }

    @Test(arguments: [
        (2, #""replaces":"greeting""#, "replaces"), (2, #""rate":5"#, "rate"), (101, #""options":{}"#, "users"),
    ])
    func severalUsersHaveNoCommonTask(_ count: Int, _ more: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let users = "[" + (0..<count).map { "\"user-\($0)\"" }.joined(separator: ",") + "]"
            let text = body(#""deliver_within":"1h",\#(more)"#, users: users)
            let answer = await fixture.json("POST", "/v1/tasks", json: text, as: .publisher)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.json["errors"]?.elements?.map { $0["field"]?.text } == [field], "\(answer.text)")
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func aGoodMomentReleasesWhatWaits() async throws {
        try await IngestFixture.run { fixture in
            let task = try await wait(fixture)
            fixture.time.advance(by: .seconds(60))
            let answer = await report(#"{"user":"ada","score":0.5,"expires_in":"1m"}"#, fixture)
            #expect(answer.status == 200 && answer.json["released"] == .integer(1), "\(answer.text)")
            #expect(answer.json["expires"] == .string("\(fixture.time.now + .seconds(60))"))
            var early = task
            early.sendAt = fixture.time.now
            #expect(fixture.bus.tasks == [early])
            let other = await report(#"{"user":"eve"}"#, fixture)
            #expect(other.status == 200 && other.json["released"] == .integer(0))
        }
    }

    /// A poor moment releases nothing, and ends a good one.
    @Test func aPoorMomentEndsAGoodOne() async throws {
        try await IngestFixture.run { fixture in
            let task = try await wait(fixture)
            let key = UserKey(try Samples.user("ada"), of: fixture.news)
            #expect(await report(#"{"user":"ada","score":0.49}"#, fixture).json["good"] == .bool(false))
            #expect(fixture.bus.tasks.isEmpty)
            #expect(await report(#"{"user":"ada"}"#, fixture).status == 200)
            let ends = try #require(task.window).ends
            #expect(fixture.moments.enter(task.id, until: ends, of: key) == fixture.time.now + .seconds(300))
            #expect(await report(#"{"user":"ada","score":0}"#, fixture).status == 200)
            #expect(fixture.moments.enter(task.id, until: ends, of: key) == nil)
        }
    }

    /// Nothing is released before its window, after its end, or twice.
    @Test func onlyOpenWindowsAreReleased() async throws {
        try await IngestFixture.run { fixture in
            let opens = fixture.time.now + .seconds(600)
            let later = try await wait(fixture, #""deliver_within":"1h","send_at":"\#(opens)""#)
            #expect(later.begins == opens + .seconds(3_300))
            #expect(await report(#"{"user":"ada"}"#, fixture).json["released"] == .integer(0))
            #expect(fixture.bus.schedules.count == 1)
            // The moment lasts beyond the opening: the scheduler releases the task then.
            let early = await report(#"{"user":"ada","expires_in":"1h"}"#, fixture)
            #expect(early.json["released"] == .integer(1))
            guard case .task(let hastened)? = fixture.bus.schedules.last else {
                throw SetupError(description: "no task")
            }
            #expect(hastened.sendAt == opens && fixture.releasedTasks.isEmpty)
            try await fixture.archive.withdraw(later.id)
            #expect(await report(#"{"user":"ada","expires_in":"1h"}"#, fixture).json["released"] == .integer(0))
            let task = try await wait(fixture, #""deliver_within":"1m""#)
            fixture.time.advance(by: .seconds(60))
            #expect(await report(#"{"user":"ada"}"#, fixture).json["released"] == .integer(0), "\(task)")
            #expect(fixture.bus.tasks.isEmpty)
        }
    }

    /// Goal: a task that a moment released waits nowhere any more.
    @Test func aReleasedTaskWaitsNowhere() async throws {
        try await IngestFixture.run { fixture in
            let task = try await wait(fixture)
            fixture.time.advance(by: .seconds(60))
            #expect(await report(#"{"user":"ada"}"#, fixture).json["released"] == .integer(1))
            // The bus fails while its record on `schedules` is removed: the service tries again.
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            try await withRunning([fixture.releasedTasks]) {
                #expect(await fixture.time.hasSleepers(1))
                fixture.time.advance(by: .milliseconds(50))
                try await waitUntil { fixture.bus.refusals > 0 }
                #expect(await fixture.time.hasSleepers(1))
                fixture.bus.fail(with: nil)
            }
            let shard = RetryShard(scheduled: task.id)
            #expect(fixture.index.outlook(of: shard).depth == 0)
            #expect(try await fixture.archive.scheduled(of: fixture.news, after: nil, limit: 9).isEmpty)
            let key = UserKey(try Samples.user("ada"), of: fixture.news)
            #expect(fixture.moments.begin(until: fixture.time.now + Self.hour, of: key).isEmpty)
            guard case .released? = fixture.bus.schedules.last else { throw SetupError(description: "no tombstone") }
            #expect(fixture.releasedTasks.isEmpty)
        }
    }

    /// Goal: what may have been released before, or was replaced, is left to the scheduler.
    @Test func onlyKnownTasksAreReleased() async throws {
        try await IngestFixture.run { fixture in
            let task = try await wait(fixture)
            fixture.isRegistryReady.withLock { $0 = false }
            #expect(await report(#"{"user":"ada"}"#, fixture).status == 503)
            #expect(fixture.bus.tasks.isEmpty && fixture.releasedTasks.isEmpty)
            fixture.isRegistryReady.withLock { $0 = true }
            #expect(await report(#"{"user":"ada"}"#, fixture).json["released"] == .integer(1))
            #expect(fixture.bus.tasks.map(\.id) == [task.id])
            let replaced = try await wait(fixture, #""deliver_within":"1h","replaces":"greeting""#)
            let next = try await wait(fixture, #""deliver_within":"1h","replaces":"greeting""#)
            // The new task alone counts, although the old one is not cancelled everywhere yet.
            _ = await report(#"{"user":"ada"}"#, fixture)
            #expect(fixture.bus.tasks.map(\.id).contains(next.id) && !fixture.bus.tasks.map(\.id).contains(replaced.id))
        }
    }

    @Test func aDeviceReportsForItsUser() async throws {
        try await IngestFixture.run { fixture in
            _ = try await wait(fixture)
            let id = try await fixture.subscriber("external_user_id=ada")
            #expect(await report(#"{"device":"\#(id)"}"#, fixture).json["released"] == .integer(1))
            #expect(fixture.bus.tasks.count == 1)
            let nameless = await fixture.form(
                "POST", "/subscribers", form: "proto=fcm&token=\(SampleTokens.fcm)")
            let other = try #require(nameless.json["id"]?.text)
            #expect(await report(#"{"device":"\#(other)"}"#, fixture).json["released"] == .integer(0))
            #expect(await report(#"{"device":"J8lHY4X1XkU"}"#, fixture).status == 404)
        }
    }

    /// A public key reaches the moments of its own device only.
    @Test func aPublicKeyReportsForItsDevice() async throws {
        try await IngestFixture.run { fixture in
            _ = try await wait(fixture)
            let id = try await fixture.subscriber("external_user_id=ada")
            let text = #"{"device":"\#(id)"}"#
            #expect(await report(text, fixture, as: .app).status == 404)
            let foreign = [Self.header: String(SampleTokens.apns.reversed())]
            #expect(await report(text, fixture, as: .app, headers: foreign).status == 404)
            let user = await report(#"{"user":"ada"}"#, fixture, as: .app)
            #expect(user.status == 400 && user.json["errors"]?.elements?[0]["field"] == .string("user"))
            #expect(fixture.bus.tasks.isEmpty)
            let own = await report(text, fixture, as: .app, headers: [Self.header: SampleTokens.apns])
            #expect(own.status == 200 && own.json["released"] == .integer(1))
        }
    }

    @Test(arguments: [
        ("{}", "device"), (#"{"device":"J8lHY4X1XkU","user":"ada"}"#, "user"), (#"{"user":""}"#, "user"),
        (#"{"user":"ada","score":1.01}"#, "score"), (#"{"user":"ada","score":"high"}"#, "score"),
        (#"{"user":"ada","expires_in":"9s"}"#, "expires_in"), (#"{"user":"ada","expires_in":"61m"}"#, "expires_in"),
        (#"{"user":"ada","typo":1}"#, "typo"), (#"{"device":7}"#, "device"),
    ])
    func aWrongMomentIsRefused(_ text: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            let answer = await report(text, fixture)
            #expect(answer.status == 400 && answer.json["errors"]?.elements?.map { $0["field"]?.text } == [field])
        }
    }

    @Test func aFullOrBrokenBusAnswers503() async throws {
        try await IngestFixture.run { fixture in
            _ = try await wait(fixture)
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            #expect(await report(#"{"user":"ada"}"#, fixture).status == 503)
            fixture.bus.fail(with: nil)
            // The moment lasts, and the repeat releases the task.
            #expect(await report(#"{"user":"ada"}"#, fixture).json["released"] == .integer(1))
        }
    }

    @Test func aDeletedUserHasNoMoment() async throws {
        try await IngestFixture.run { fixture in
            #expect(await report(#"{"user":"ada"}"#, fixture, as: .owner).status == 200)
            #expect(await fixture.json("DELETE", "/v1/users/ada", as: .owner).status == 200)
            let key = UserKey(try Samples.user("ada"), of: fixture.news)
            let task = Samples.freshTask()
            #expect(fixture.moments.enter(task, until: fixture.time.now + Self.hour, of: key) == nil)
        }
    }
}
