import Apps
import Bus
import JSONKit
import LocalTime
import PushModel
import ServiceKit
import Store
import TaskModel
import TestSupport
import Testing
import Topics

@testable import IngestAPI

/// Tasks that are to be sent later.
@Suite struct TaskSchedulingTests {
    private func body(_ moment: String, users: String = "") -> String {
        #"{"audience":{"topic":"news"}\#(users),"message":{"title":"Hello"},"send_at":"\#(moment)"}"#
    }

    private func post(
        _ fixture: IngestFixture, after pause: Duration, headers: [String: String] = [:]
    ) async throws -> PushTask {
        let known = fixture.bus.schedules.count
        let moment = fixture.time.now + pause
        let answer = await fixture.json(
            "POST", "/v1/tasks", json: body("\(moment)"), as: .publisher, headers: headers)
        #expect(answer.status == 201)
        #expect(answer.json["send_at"] == .string("\(moment)"))
        guard case .task(let task)? = fixture.bus.schedules.dropFirst(known).first else {
            throw SetupError(description: "no task on schedules")
        }
        return task
    }

    @Test func aTaskWaitsOnSchedules() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture, after: .seconds(86_400))
            #expect(fixture.bus.tasks.isEmpty)
            #expect(task.begins == fixture.time.now + .seconds(86_400))
            #expect(task.deadline == task.begins + task.options.timeToLive)
            #expect(try await fixture.archive.content(of: task.id) == TaskMessage.task(task).encoded())
            #expect(try await fixture.listed().isEmpty)
            let status = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher)
            #expect(status.json["state"] == .string("scheduled"))
            #expect(status.json["send_at"] == .string("\(task.begins)"))
            fixture.time.advance(by: .seconds(86_400))
            let later = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher)
            #expect(later.json["state"] == .string("accepted"))
        }
    }

    /// A time that is over by less than an hour is a delay of the request.
    @Test func aTimeThatIsJustOverMeansNow() async throws {
        try await IngestFixture.run { fixture in
            for pause in [Duration.zero, .seconds(-3_599)] {
                let text = body("\(fixture.time.now + pause)")
                #expect(await fixture.json("POST", "/v1/tasks", json: text, as: .publisher).status == 201)
            }
            #expect(fixture.bus.schedules.isEmpty)
            #expect(fixture.bus.tasks.count == 2 && fixture.bus.tasks.allSatisfy { $0.sendAt == nil })
        }
    }

    @Test func timesThatCannotBeMeantAreRefused() async throws {
        try await IngestFixture.run { fixture in
            let (far, past) = (fixture.time.now + .seconds(90 * 86_400 + 1), fixture.time.now + .seconds(-3_601))
            let texts = [
                "\(far)", "\(past)", "tomorrow", "2026-12-24T18:00", "2026-12-24", "2026-02-30T00:00:00Z", "",
                "2026-12-24T18:00:00", "2026-13-01T00:00:00Z",
            ]
            for text in texts {
                let answer = await fixture.json("POST", "/v1/tasks", json: body(text), as: .publisher)
                #expect(answer.status == 400, "\(text)")
                #expect(answer.json["errors"]?.elements?.map { $0["field"] } == [.string("send_at")], "\(text)")
                #expect(answer.json["errors"]?.elements?[0]["detail"]?.text?.hasPrefix("expected a time") == true)
            }
            let number = await fixture.json(
                "POST", "/v1/tasks", json: #"{"audience":{"topic":"news"},"message":{"title":"x"},"send_at":1}"#,
                as: .publisher)
            #expect(number.status == 400)
            #expect(fixture.bus.sent.isEmpty)
            let listed = try await fixture.archive.scheduled(of: fixture.news, after: nil, limit: 9)
            #expect(listed.isEmpty)
        }
    }

    /// Each part is a record of its own, before its task.
    @Test func aLongListWaitsInParts() async throws {
        try await IngestFixture.run { fixture in
            let users = JSONText.array((0..<1_500).map { "user-\($0)" })
            let moment = fixture.time.now + .seconds(60)
            let answer = await fixture.json(
                "POST", "/v1/tasks", json: body("\(moment)", users: #","users":\#(users)"#), as: .publisher)
            #expect(answer.status == 201)
            #expect(fixture.bus.parts.isEmpty && fixture.bus.longParts.isEmpty)
            let parts = fixture.bus.schedules.dropLast().compactMap { record -> Int? in
                guard case .part(let part, begins: moment) = record else { return nil }
                return part.number
            }
            #expect(parts == [0, 1, 2, 3])
            guard case .task(let task)? = fixture.bus.schedules.last else { throw SetupError(description: "no task") }
            #expect(task.target.list == .parts(count: 4, entries: 1_500))
            let keys = fixture.bus.sent.map { $0.key ?? [] }
            #expect(Set(keys).count == 5)
        }
    }

    @Test func scheduledTasksAreListedByTheirTimes() async throws {
        try await IngestFixture.run { fixture in
            var tasks: [PushTask] = []
            for seconds in [300, 100, 200] { tasks.append(try await post(fixture, after: .seconds(seconds))) }
            let first = await fixture.json("GET", "/v1/tasks?state=scheduled&limit=2", as: .publisher)
            #expect(first.json["tasks"]?.elements?.map { $0["id"] } == [1, 2].map { .string("\(tasks[$0].id)") })
            let next = try #require(first.json["next"]?.text)
            let rest = await fixture.json("GET", "/v1/tasks?state=scheduled&limit=2&before=\(next)", as: .publisher)
            #expect(rest.json["tasks"]?.elements?.map { $0["id"] } == [.string("\(tasks[0].id)")])
            let other = await fixture.json("GET", "/v1/tasks?state=closed", as: .publisher)
            #expect(other.status == 400)
            #expect(await fixture.json("GET", "/v1/tasks", as: .publisher).json["tasks"]?.elements?.isEmpty == true)
        }
    }

    /// The scheduler releases it at once, without its audience, so that it is reported.
    @Test func aCancelledTaskIsWithdrawn() async throws {
        try await IngestFixture.run { fixture in
            let task = try await post(fixture, after: .seconds(86_400))
            let answer = await fixture.json("POST", "/v1/tasks/\(task.id)/cancel", as: .publisher)
            #expect(answer.status == 202)
            #expect(answer.json["cancelled"] == .bool(true) && answer.json["state"] == .string("scheduled"))
            #expect(fixture.bus.schedules.last == .task(task.withdrawn))
            #expect(fixture.bus.sent.last?.key == Topics.key(task.id))
        }
    }

    /// Goal: a repeat is answered for a day after the task's time, and schedules nothing more. Method: repeats 30 days
    /// later, and after the task was cancelled and reported.
    @Test func aRepeatIsAnsweredUntilADayAfterTheTime() async throws {
        try await IngestFixture.run { fixture in
            let key = ["Idempotency-Key": "order-4711"]
            let moment = fixture.time.now + .seconds(30 * 86_400)
            func send() async -> RawClient.Response {
                await fixture.json("POST", "/v1/tasks", json: body("\(moment)"), as: .publisher, headers: key)
            }
            let first = await send()
            fixture.time.advance(by: .seconds(30 * 86_400 + 80_000))
            let repeated = await send()
            #expect(repeated.status == 201 && repeated.json["id"] == first.json["id"])
            #expect(repeated.headers["idempotency-replayed"] == "true")
            #expect(fixture.bus.schedules.count == 1)
        }
    }

    /// A request whose answer was lost before it was stored makes the same task again, but not if that one is done.
    @Test func aRequestThatWasCutOffSchedulesTheSameTask() async throws {
        try await IngestFixture.run { fixture in
            let key = ["Idempotency-Key": "order-4711"]
            let text = body("\(fixture.time.now + .seconds(86_400))")
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            #expect(await fixture.json("POST", "/v1/tasks", json: text, as: .publisher, headers: key).status == 503)
            fixture.bus.fail(with: nil)
            #expect(await fixture.json("POST", "/v1/tasks", json: text, as: .publisher, headers: key).status == 201)
            guard case .task(let task)? = fixture.bus.schedules.last else { throw SetupError(description: "no task") }
            #expect(fixture.bus.schedules.count == 1 && task.id.isDerived)
            let listed = try await fixture.archive.scheduled(of: fixture.news, after: nil, limit: 9)
            #expect(listed.map(\.task) == [task.id])
        }
    }

    /// A refused task without a key is not listed.
    @Test func aRefusedTaskIsTakenBack() async throws {
        try await IngestFixture.run { fixture in
            fixture.bus.fail(with: BusError(.unavailable, message: "away"))
            let text = body("\(fixture.time.now + .seconds(60))")
            #expect(await fixture.json("POST", "/v1/tasks", json: text, as: .publisher).status == 503)
            let listed = try await fixture.archive.scheduled(of: fixture.news, after: nil, limit: 9)
            #expect(listed.isEmpty)
        }
    }

    /// Tasks that wait take memory for days: they are refused earlier than those that are sent now.
    @Test func aFillingStoreRefusesThemFirst() async throws {
        try await IngestFixture.run { fixture in
            fixture.percentUsed.withLock { $0 = 65 }
            let later = body("\(fixture.time.now + .seconds(60))")
            #expect(await fixture.json("POST", "/v1/tasks", json: later, as: .publisher).status == 503)
            let now = await fixture.json("POST", "/v1/tasks", json: TaskCreationTests.small, as: .publisher)
            #expect(now.status == 201)
        }
    }

    /// The task is released when its local time comes in the first time zone.
    @Test func aLocalTimeWaitsForTheFirstZone() async throws {
        try await IngestFixture.run { fixture in
            fixture.time.setWallClock(to: try #require(Timestamp(rfc3339: "2026-12-20T00:00:00Z")))
            let text = #"{"audience":{"topic":"news"},"message":{"title":"x"},"send_at_local":"2026-12-24T09:00"}"#
            let answer = await fixture.json("POST", "/v1/tasks", json: text, as: .publisher)
            #expect(answer.status == 201 && answer.json["send_at_local"] == .string("2026-12-24T09:00"))
            #expect(answer.json["send_at"] == .string("2026-12-23T19:00:00.000Z"))
            guard case .task(let task)? = fixture.bus.schedules.last else { throw SetupError(description: "no task") }
            #expect(task.rules.localTime == LocalDateTime("2026-12-24T09:00") && task.rules.quietHours == nil)
            #expect(task.content.fallbackLanguage == "fr")
            let status = await fixture.json("GET", "/v1/tasks/\(task.id)", as: .publisher)
            #expect(status.json["send_at_local"] == .string("2026-12-24T09:00"))
        }
    }

    @Test(arguments: [
        (#""send_at_local":"2026-12-24T09:00Z""#, "send_at_local"),
        (#""send_at_local":"2026-02-30T09:00""#, "send_at_local"),
        (#""send_at_local":"2026-12-19T10:59""#, "send_at_local"),
        (#""send_at_local":"2027-03-21T00:00""#, "send_at_local"),
        (#""send_at_local":"2026-12-24T09:00","send_at":"2026-12-24T09:00:00Z""#, "send_at_local"),
        (#""quiet_hours":"never""#, "quiet_hours"), (#""quiet_hours":true"#, "quiet_hours"),
        (#""rate":0"#, "rate"), (#""rate":1000001"#, "rate"), (#""rate":1.5"#, "rate"), (#""rate":"500""#, "rate"),
        (#""cap":"never""#, "cap"), (#""cap":5"#, "cap"),
    ])
    func whatCannotBeMeantIsRefused(fields: String, field: String) async throws {
        try await IngestFixture.run { fixture in
            fixture.time.setWallClock(to: try #require(Timestamp(rfc3339: "2026-12-20T00:00:00Z")))
            let text = #"{"audience":{"topic":"news"},"message":{"title":"x"},\#(fields)}"#
            let answer = await fixture.json("POST", "/v1/tasks", json: text, as: .publisher)
            #expect(answer.status == 400)
            #expect(answer.json["errors"]?.elements?.map { $0["field"] } == [.string(field)])
            #expect(fixture.bus.sent.isEmpty)
        }
    }

    @Test func theCapIsThatOfTheApp() throws {
        var app = PushApp(id: try AppID("news"))
        let now = Timestamp(milliseconds: 0)
        var timing = DraftTiming()
        app.limits.pushesPerDevice = PushCap(count: 5, period: .seconds(86_400))
        let rules = timing.rules(of: app, acceptedAt: now)
        #expect(rules.cap == app.limits.pushesPerDevice && rules.capPolicy == .delay && !rules.areTimed)
        timing.cap = .obey(.skip)
        #expect(timing.rules(of: app, acceptedAt: now).capPolicy == .skip)
        timing.cap = .ignore
        #expect(timing.rules(of: app, acceptedAt: now).areEmpty)
    }

    /// The rules of the app are frozen into the task.
    @Test func quietHoursAreThoseOfTheApp() throws {
        var app = PushApp(id: try AppID("news"))
        let now = Timestamp(milliseconds: 0)
        var timing = DraftTiming()
        #expect(timing.rules(of: app, acceptedAt: now).areEmpty)
        app.quietHours = QuietHours(start: 1_320, end: 420, timeZone: "Europe/Helsinki")
        let rules = timing.rules(of: app, acceptedAt: now)
        #expect(
            rules.quietHours == app.quietHours && rules.quietPolicy == .delay && rules.timeZone == "Europe/Helsinki")
        timing.quietHours = .obey(.skip)
        #expect(timing.rules(of: app, acceptedAt: now).quietPolicy == .skip)
        timing.quietHours = .ignore
        #expect(timing.rules(of: app, acceptedAt: now).areEmpty)
        timing.localTime = LocalDateTime("2026-12-24T09:00")
        app.limits.devicesPerSecond = 2_000
        timing.rate = 500
        let local = timing.rules(of: app, acceptedAt: now)
        #expect(local.rate == 500 && local.appRate == 2_000)
        #expect(local.quietHours == nil && local.timeZone == "Europe/Helsinki")
    }
}
