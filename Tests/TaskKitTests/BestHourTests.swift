import LocalTime
import MemoryStore
import PushModel
import ServiceKit
import Store
import TaskKit
import TaskModel
import TestSupport
import Testing

/// The hour at which a user is most likely to open a push.
@Suite struct BestHourTests {
    private static let zone = "Europe/Helsinki"
    private let daily = CampaignDigest(of: "daily")
    private let other = CampaignDigest(of: "other")

    private func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    /// Opens and deliveries by hour.
    private func record(_ hours: [Int: (opens: Int, of: Int)], campaign: CampaignDigest? = nil) -> OpenRecord {
        var record = OpenRecord(zone: Self.zone)
        add(hours, of: campaign ?? daily, to: &record)
        return record
    }

    private func add(_ hours: [Int: (opens: Int, of: Int)], of campaign: CampaignDigest, to record: inout OpenRecord) {
        for (hour, counts) in hours.sorted(by: { $0.key < $1.key }) {
            for _ in 0..<counts.opens { record.noteOpen(of: campaign, hour: UInt8(hour), in: Self.zone) }
            for _ in counts.opens..<counts.of { record.noteDelivery(of: campaign, hour: UInt8(hour)) }
        }
    }

    private func choice(
        _ record: OpenRecord, from start: String, to end: String, zone: String = zone, place: UInt64 = 1 << 63
    ) throws -> String? {
        let rules = try #require(TimeZoneCatalog().rules(named: zone))
        return BestHour(record, campaign: daily)?.time(
            from: try time(start), to: try time(end), in: rules, place: place
        ).map { String("\($0)".prefix(16)) }
    }

    /// In winter Helsinki is two hours ahead of UTC. Half past is the user's part of the hour.
    @Test(
        arguments: [
            // The better of two hours, and the only one that lies in the window.
            ("2026-01-15T00:00:00Z", "2026-01-16T00:00:00Z", "2026-01-15T18:30"),
            ("2026-01-15T00:00:00Z", "2026-01-15T12:00:00Z", "2026-01-15T06:30"),
            // No hour of the window.
            ("2026-01-15T07:00:00Z", "2026-01-15T18:00:00Z", nil),
            ("2026-01-15T07:00:00Z", "2026-01-15T07:00:00Z", nil),
            ("2026-01-15T08:00:00Z", "2026-01-15T07:00:00Z", nil),
            // What is left of an hour that runs, and the part of it before the end.
            ("2026-01-15T18:40:00Z", "2026-01-15T23:00:00Z", "2026-01-15T18:50"),
            ("2026-01-15T12:00:00Z", "2026-01-15T18:20:00Z", "2026-01-15T18:10"),
            ("2026-01-15T18:10:00Z", "2026-01-15T18:20:00Z", "2026-01-15T18:15"),
            // The first of many days.
            ("2026-01-15T19:00:00Z", "2026-04-01T00:00:00Z", "2026-01-16T18:30"),
        ] as [(String, String, String?)])
    func theBestHourOfTheWindowIsChosen(from start: String, to end: String, expected: String?) throws {
        let record = record([8: (3, 6), 20: (4, 5), 12: (0, 9)])
        #expect(try choice(record, from: start, to: end) == expected)
    }

    /// Opens for each delivery count, with a prior of one open in two deliveries; the first of equal hours is chosen.
    @Test func theRateDecides() throws {
        let day = (from: "2026-01-15T00:00:00Z", to: "2026-01-15T22:00:00Z")
        func choice(_ hours: [Int: (opens: Int, of: Int)]) throws -> String? {
            try self.choice(record(hours), from: day.from, to: day.to)
        }
        #expect(try choice([8: (1, 1), 12: (9, 10)]) == "2026-01-15T10:30")
        #expect(try choice([8: (20, 60), 12: (2, 3)]) == "2026-01-15T10:30")
        #expect(try choice([8: (3, 4), 12: (3, 4), 20: (3, 4)]) == "2026-01-15T06:30")
        #expect(try choice([8: (1, 2), 12: (4, 10), 20: (1, 2)]) == "2026-01-15T06:30")
    }

    @Test func fiveOpensAreNeeded() throws {
        let day = (from: "2026-01-15T00:00:00Z", to: "2026-01-15T22:00:00Z")
        #expect(BestHour(record([8: (4, 4)]), campaign: daily) == nil)
        #expect(BestHour(record([8: (5, 60)]), campaign: daily) != nil)
        // Those of other campaigns count until the campaign has five of its own.
        var record = record([8: (4, 4)])
        add([20: (40, 40)], of: other, to: &record)
        #expect(try choice(record, from: day.from, to: day.to) == "2026-01-15T18:30")
        add([8: (1, 1)], of: daily, to: &record)
        #expect(try choice(record, from: day.from, to: day.to) == "2026-01-15T06:30")
        // An hour of several campaigns counts with all of them.
        var mixed = self.record([12: (1, 1)])
        add([8: (3, 4), 12: (3, 3)], of: other, to: &mixed)
        #expect(try choice(mixed, from: day.from, to: day.to) == "2026-01-15T10:30")
    }

    /// The clock skips from 03:00 to 04:00 at 01:00 UTC, so 03:00 comes the day after; and it shows 03:00 to 04:00 twice,
    /// from 00:00 and from 01:00 UTC.
    @Test func changesOfTheClockAreHeeded() throws {
        let night = record([3: (5, 5)])
        #expect(try choice(night, from: "2026-03-28T22:00:00Z", to: "2026-03-29T20:00:00Z") == nil)
        #expect(
            try choice(night, from: "2026-03-28T22:00:00Z", to: "2026-03-31T00:00:00Z") == "2026-03-30T00:30")
        #expect(
            try choice(night, from: "2026-10-24T22:00:00Z", to: "2026-10-26T00:00:00Z") == "2026-10-25T00:30")
        #expect(
            try choice(night, from: "2026-10-25T00:50:00Z", to: "2026-10-25T00:58:00Z") == "2026-10-25T00:54")
        #expect(
            try choice(night, from: "2026-10-25T01:00:00Z", to: "2026-10-26T00:00:00Z") == "2026-10-25T01:30")
        // Another clock, other times.
        #expect(
            try choice(night, from: "2026-01-15T00:00:00Z", to: "2026-01-16T00:00:00Z", zone: "Asia/Kathmandu")
                == "2026-01-15T21:45")
    }

    /// Nothing is chosen outside the window, whatever part of an hour a user has.
    @Test(arguments: [0, 1, 1 << 32, .max] as [UInt64])
    func theTimeIsInTheWindow(_ place: UInt64) throws {
        let rules = try #require(TimeZoneCatalog().rules(named: Self.zone))
        let hour = try #require(BestHour(record([8: (5, 5)]), campaign: daily))
        let start = try time("2026-01-15T06:10:00Z")
        for seconds in [1, 59, 60, 3_000, 9_000] {
            let end = start + .seconds(seconds)
            let chosen = try #require(hour.time(from: start, to: end, in: rules, place: place))
            #expect(chosen >= start && chosen < min(end, start + .seconds(3_000)))
        }
    }
}
