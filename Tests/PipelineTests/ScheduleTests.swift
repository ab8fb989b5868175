import JSONKit
import PushModel
import ServiceKit
import TestSupport
import Testing
import Topics

/// Tasks that are to be sent later, as seen from outside.
@Suite(.timeLimit(.minutes(10))) struct ScheduleTests {
    /// Goal: a task that waits is sent once at its time, whatever is killed meanwhile, and one that is cancelled before
    /// is reported without devices. Method: a broadcast and a list that waits in parts; the scheduler and an ingest-api
    /// are killed while they wait.
    @Test(arguments: Harness.BusKind.allCases)
    func tasksAreSentAtTheirTime(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let count = 600
        let devices = (0..<count).map { TestDevice($0, kind: .apns, topics: ["brief"], user: "user-\($0)") }
        _ = try await harness.ingest.register(devices)
        let far = SystemTimeSource().now + .seconds(86_400)
        let cancelled = try await harness.ingest.post(
            #"{"audience":{"topic":"brief"},"message":{"body":"x"},"send_at":"\#(far)"}"#)
        let due = SystemTimeSource().now + .seconds(8)
        let users = JSONText.array((0..<1_500).map { "user-\($0)" })
        let tasks = [
            try await harness.ingest.post(
                #"{"audience":{"topic":"brief"},"message":{"body":"x"},"send_at":"\#(due)"}"#),
            try await harness.ingest.post(#"{"users":\#(users),"message":{"body":"x"},"send_at":"\#(due)"}"#),
        ]
        let listed = try await scheduled(harness)
        #expect(listed.count == 3 && listed.last == .string("\(cancelled)"))
        #expect(try await harness.ingest.send("POST", "/apps/news/v1/tasks/\(cancelled)/cancel").status == 202)
        let withdrawn = try #require(await harness.reports.report(of: cancelled), "\(harness.lines)")
        #expect(withdrawn.isCancelled && withdrawn.targeted == 0)
        try await harness.killAndRestart("scheduler")
        try await harness.killAndRestart("ingest-api")
        for task in tasks {
            let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
            #expect(report.targeted == count && report[.delivered] == count)
            #expect(report.closed >= due)
            #expect(try await harness.delivered(task) == count)
        }
        #expect(try await harness.delivered(cancelled) == 0)
        #expect(try await scheduled(harness) == [])
        try await harness.close()
    }

    /// Goal: of the tasks of a key only the last arrives. Method: a broadcast that waits is replaced by another one,
    /// and one that is being sent to slow devices by one that is sent at once; collapse ids tell them apart.
    @Test(arguments: Harness.BusKind.allCases)
    func theLastTaskOfAKeyArrives(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let count = 300
        _ = try await harness.ingest.register((0..<count).map { TestDevice($0, kind: .apns, topics: ["brief"]) })
        func post(_ name: String, key: String, at moment: Timestamp? = nil) async throws -> TaskID {
            let time = moment.map { #","send_at":"\#($0)""# } ?? ""
            let options = #""options":{"collapse_id":"\#(name)"},"replaces":"\#(key)""#
            return try await harness.ingest.post(
                #"{"audience":{"topic":"brief"},"message":{"body":"\#(name)"},\#(options)\#(time)}"#)
        }
        let due = SystemTimeSource().now + .seconds(8)
        let replaced = try await post("old", key: "order-1", at: due)
        let counting = try await post("new", key: "order-1", at: due)
        let withdrawn = try #require(await harness.reports.report(of: replaced), "\(harness.lines)")
        #expect(withdrawn.isCancelled && withdrawn.targeted == 0)
        let status = try JSON(try await harness.ingest.send("GET", "/apps/news/v1/tasks/\(replaced)").body)
        #expect(status["replaced_by"] == .string("\(counting)"))
        // While these wait, one replaces another that is being sent.
        let sending = try await post("sending", key: "order-2")
        let last = try await post("last", key: "order-2")
        let cut = try #require(await harness.reports.report(of: sending), "\(harness.lines)")
        #expect(cut[.delivered] + cut[.cancelled] == cut.targeted)
        for task in [counting, last] {
            let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
            #expect(report.targeted == count && report[.delivered] == count && !report.isCancelled)
        }
        #expect(try await harness.arrived("old") == 0)
        #expect(try await harness.arrived("new") == count)
        #expect(try await harness.arrived("last") == count)
        #expect(try await harness.arrived("sending") == cut[.delivered])
        #expect(try await scheduled(harness) == [])
        try await harness.close()
    }

    /// Goal: each device is sent to when its own clock shows the task's time, and one that waits can be cancelled.
    /// Method: devices whose clocks are an hour behind the others', half an hour ahead, and hours ahead, where that
    /// time is over.
    @Test func devicesAreSentToAtTheirOwnTime() async throws {
        let harness = try await Harness(.embedded)
        let zones = [(120, "Etc/UTC"), (60, "Etc/GMT%2B1"), (20, "Asia/Kolkata"), (10, nil)]
        var devices: [TestDevice] = []
        for (count, zone) in zones {
            devices += (0..<count).map { number in
                var device = TestDevice(devices.count + number, kind: .apns, topics: ["brief"])
                device.timeZone = zone
                return device
            }
        }
        _ = try await harness.ingest.register(devices)
        let now = SystemTimeSource().now
        let due = Timestamp(milliseconds: (now.milliseconds / 60_000 + 1) * 60_000)
        let task = try await harness.ingest.post(
            #"{"audience":{"topic":"brief"},"message":{"body":"x"},"send_at_local":"\#("\(due)".prefix(16))"}"#)
        // Devices of Etc/UTC and those without a zone; the others wait for another hour, or that time is over.
        try await harness.hasDelivered(130, of: task)
        #expect(SystemTimeSource().now >= due)
        let status = try await harness.ingest.send("GET", "/apps/news/v1/tasks/\(task)")
        let waiting = try JSON(status.body)["waiting"]?["local_time"]
        #expect(waiting?["devices"] == .integer(60), "\(status.text)")
        #expect(waiting?["next"] == .string("\(due + .seconds(3_600))"))
        #expect(try await harness.ingest.send("POST", "/apps/news/v1/tasks/\(task)/cancel").status == 202)
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report[.delivered] == 130 && report[.cancelled] == 60 && report[.suppressed] == 20)
        #expect(try await harness.delivered(task) == 130)
        try await harness.close()
    }

    /// Goal: a task with a rate is never ahead of it, whatever is killed, and each device gets one push. Method:
    /// devices of two senders for ten seconds; a resolver and the scheduler are killed. Delays of this machine can only
    /// lower the counts that are compared.
    @Test(arguments: Harness.BusKind.allCases)
    func aRateIsKept(_ bus: Harness.BusKind) async throws {
        let harness = try await Harness(bus)
        let (count, rate) = (500, 50)
        let devices = (0..<count).map {
            TestDevice($0, kind: $0.isMultiple(of: 2) ? .apns : .fcm, topics: ["brief"], user: "user-\($0)")
        }
        _ = try await harness.ingest.register(devices)
        let time = SystemTimeSource()
        let start = time.uptime
        let task = try await harness.ingest.post(
            #"{"audience":{"topic":"brief"},"message":{"body":"x"},"rate":\#(rate)}"#)
        try await waitUntil {
            let status = try await harness.ingest.send("GET", "/apps/news/v1/tasks/\(task)")
            return try JSON(status.body)["waiting"]?["rate"]?["next"] != nil
        }
        var killed = 0
        while true {
            // The time is read after the count: the count may be older, but not younger.
            let sent = try await harness.delivered(task)
            let seconds = (time.uptime - start).inSeconds
            #expect(Double(sent) <= Double(rate) * (seconds + 1))
            guard sent < count else { break }
            if killed < 2, seconds > Double(2 * killed + 2) {
                try await harness.killAndRestart(["targeting-resolver", "scheduler"][killed])
                killed += 1
            }
            try await time.sleep(for: .milliseconds(50))
        }
        let report = try #require(await harness.reports.report(of: task), "\(harness.lines)")
        #expect(report.targeted == count && report[.delivered] == count)
        #expect((time.uptime - start).inSeconds >= Double(count / rate) - 1)
        try await harness.close()
    }

    /// Goal: a device gets no more pushes in a period than its app allows, over all tasks, and what waits arrives.
    /// Method: two pushes a minute; a third waits, shows until when, and is sent in the next period; tasks that skip
    /// the limit or ignore it do not wait.
    @Test func aDeviceOverItsCapWaitsForTheNextPeriod() async throws {
        let harness = try await Harness(.embedded, limits: #"{"pushes_per_device":{"count":2,"per":"1m"}}"#)
        let device = try #require(try await harness.ingest.register([TestDevice(0, kind: .apns)]).first)
        func post(_ choice: String = "") async throws -> TaskID {
            try await harness.ingest.post(#"{"audience":{"topic":"news"},"message":{"body":"x"}\#(choice)}"#)
        }
        let started = SystemTimeSource().now
        for _ in 0..<2 {
            let task = try await post()
            try await harness.hasDelivered(1, of: task)
        }
        let (third, skipped, ignored) = (
            try await post(), try await post(#","cap":"skip""#), try await post(#","cap":"ignore""#)
        )
        try await harness.hasDelivered(1, of: ignored)
        try await waitUntil { try await harness.ingest.task(third)["waiting"]?["cap"] != nil }
        let waiting = try await harness.ingest.task(third)["waiting"]?["cap"]
        let next = try #require(waiting?["next"]?.text.flatMap { Timestamp(rfc3339: $0) })
        #expect(waiting?["devices"] == .integer(1) && next >= started + .seconds(60))
        let path = "/apps/news/v1/tasks/\(third)/devices/\(device)"
        let trace = try JSON(try await harness.ingest.send("GET", path).body)
        #expect(trace["state"]?.text == "deferred" && trace["reason"]?.text == "cap")
        #expect(trace["next_attempt"]?.text == "\(next)")
        let report = try #require(await harness.reports.report(of: skipped), "\(harness.lines)")
        #expect(report.targeted == 1 && report[.suppressed] == 1)
        #expect(try await harness.delivered(third) == 0)
        let late = try #require(await harness.reports.report(of: third), "\(harness.lines)")
        #expect(late[.delivered] == 1 && late.closed >= next)
        #expect(try await harness.delivered(third) == 1)
        #expect(try await harness.delivered(skipped) == 0)
        try await harness.close()
    }

    /// The ids of the tasks that wait, the next first.
    private func scheduled(_ harness: Harness) async throws -> [JSON?] {
        let answer = try await harness.ingest.send("GET", "/apps/news/v1/tasks?state=scheduled")
        return try #require(try JSON(answer.body)["tasks"]?.elements).map { $0["id"] }
    }
}
