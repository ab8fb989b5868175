import LocalTime
import PushModel
import ServiceKit
import TaskKit
import TaskModel
import TestSupport
import Testing

/// When a device may be sent to, by its time zone.
@Suite struct TimedJudgesTests {
    private static let zones: [(String?, String?)] = [
        ("Europe/Helsinki", "2026-12-24T07:00:00Z"), ("America/New_York", "2026-12-24T14:00:00Z"),
        ("Pacific/Kiritimati", nil), (nil, "2026-12-24T08:00:00Z"), ("Mars/Base", "2026-12-24T08:00:00Z"),
    ]
    private let metrics = Metrics()
    private let index = DeviceIndex(rawValue: 0)

    private func record(zone: String?) throws -> [UInt8] {
        var device = try Samples.device(1)
        device.timeZone = zone
        return device.packed
    }

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    private func judgement(of zone: String?, under rules: DeliveryRules, at now: String) throws -> DeviceJudgement {
        let judges = TimedJudges(metrics: metrics)
        let judge = try #require(judges.judge(of: TaskID(high: 1, low: 1), rules: rules))
        let record = try record(zone: zone)
        let now = try time(now)
        let first = judge.judgement(of: record[...], at: index, now: now)
        // Remembered for the next device of the zone.
        #expect(judge.judgement(of: record[...], at: index, now: now) == first)
        return first
    }

    @Test func withoutRulesThereIsNoJudge() throws {
        let rules = DeliveryRules(accepted: try time("2026-07-01T00:00:00Z"))
        #expect(TimedJudges(metrics: metrics).judge(of: TaskID(high: 1, low: 1), rules: rules) == nil)
    }

    /// A device without a zone, or with one that does not exist, has that of the rules.
    @Test(arguments: TimedJudgesTests.zones)
    func aDeviceWaitsForItsOwnTime(zone: String?, due: String?) throws {
        var rules = DeliveryRules(accepted: try time("2026-12-20T00:00:00Z"))
        rules.localTime = LocalDateTime("2026-12-24T09:00")
        rules.timeZone = "Europe/Paris"
        let expected = try due.map { DeviceJudgement.wait(.localTime, until: try time($0)) } ?? .send
        #expect(try judgement(of: zone, under: rules, at: "2026-12-23T19:00:00Z") == expected)
        let unknown = metrics.counter(.judgeTimeZonesUnknown).value
        #expect(unknown == (zone == "Mars/Base" ? 2 : 0))
    }

    /// What passed less than an hour before the acceptance is sent, and what passed while it waited.
    @Test func aLocalTimeThatIsLongOverIsSuppressed() throws {
        var rules = DeliveryRules(accepted: try time("2026-12-24T09:00:00Z"))
        rules.localTime = LocalDateTime("2026-12-24T10:00")
        #expect(try judgement(of: "Europe/Helsinki", under: rules, at: "2026-12-24T20:00:00Z") == .send)
        rules.localTime = LocalDateTime("2026-12-24T09:59")
        let over = DeviceJudgement.suppress(reason: "local_time_passed")
        #expect(try judgement(of: "Europe/Helsinki", under: rules, at: "2026-12-24T09:00:00Z") == over)
        #expect(try judgement(of: "Europe/Paris", under: rules, at: "2026-12-24T09:00:00Z") == .send)
    }

    @Test func quietHoursDelayOrSkip() throws {
        var rules = DeliveryRules(accepted: try time("2026-07-01T00:00:00Z"))
        rules.quietHours = QuietHours(start: 22 * 60, end: 7 * 60, timeZone: "Europe/Helsinki")
        rules.timeZone = "Europe/Helsinki"
        let night = "2026-07-01T19:00:00Z"
        let morning = try time("2026-07-02T04:00:00Z")
        #expect(try judgement(of: nil, under: rules, at: night) == .wait(.quietHours, until: morning))
        #expect(try judgement(of: "America/New_York", under: rules, at: night) == .send)
        rules.quietPolicy = .skip
        #expect(try judgement(of: nil, under: rules, at: night) == .suppress(reason: "quiet_hours"))
    }

    /// A device that waited for its time is judged by its quiet hours then.
    @Test func aLocalTimeMayBeQuiet() throws {
        var rules = DeliveryRules(accepted: try time("2026-07-01T00:00:00Z"))
        rules.localTime = LocalDateTime("2026-07-01T23:00")
        rules.quietHours = QuietHours(start: 22 * 60, end: 7 * 60, timeZone: "UTC")
        let due = try time("2026-07-01T20:00:00Z")
        #expect(
            try judgement(of: "Europe/Helsinki", under: rules, at: "2026-07-01T12:00:00Z")
                == .wait(.localTime, until: due))
        #expect(
            try judgement(of: "Europe/Helsinki", under: rules, at: "2026-07-01T20:00:00Z")
                == .wait(.quietHours, until: try time("2026-07-02T04:00:00Z")))
    }

    /// The plan's deadline is written once and never moves: it is the end of the last device's life.
    @Test func theLastDeviceLivesAsLongAsTheOthers() throws {
        var task = PushTask(
            id: TaskID(high: 1, low: 1), app: try AppID("news"), created: try time("2026-12-20T00:00:00Z"))
        task.options.timeToLive = .seconds(3_600)
        #expect(task.deadline == task.created + .seconds(3_600))
        task.rules.localTime = LocalDateTime("2026-12-24T09:00")
        task.sendAt = task.rules.localTime?.earliestInstant
        #expect(task.deadline == (try time("2026-12-24T22:00:00Z")))
        #expect(task.deadline(from: nil) == (try time("2026-12-23T20:00:00Z")))
        task.rules.quietHours = QuietHours(start: 0, end: 60, timeZone: "UTC")
        #expect(task.deadline == (try time("2026-12-26T00:00:00Z")))
        task.rules.quietPolicy = .skip
        #expect(task.deadline == (try time("2026-12-24T22:00:00Z")))
    }
}
