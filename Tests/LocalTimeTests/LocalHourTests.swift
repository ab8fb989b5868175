import LocalTime
import ServiceKit
import TestSupport
import Testing

/// The hour that a clock shows.
@Suite struct LocalHourTests {
    @Test(
        arguments: [
            ("Europe/Helsinki", "2026-01-15T05:59:59.999Z", 7, "2026-01-15T06:00:00Z"),
            ("Europe/Helsinki", "2026-01-15T06:00:00Z", 8, "2026-01-15T07:00:00Z"),
            ("Europe/Helsinki", "2026-01-15T22:10:00Z", 0, "2026-01-15T23:00:00Z"),
            // The clock skips from 03:00 to 04:00 at 01:00 UTC.
            ("Europe/Helsinki", "2026-03-29T00:59:59Z", 2, "2026-03-29T01:00:00Z"),
            ("Europe/Helsinki", "2026-03-29T01:00:00Z", 4, "2026-03-29T02:00:00Z"),
            // It shows 03:00 to 04:00 twice, from 00:00 and from 01:00 UTC.
            ("Europe/Helsinki", "2026-10-25T00:30:00Z", 3, "2026-10-25T01:00:00Z"),
            ("Europe/Helsinki", "2026-10-25T01:00:00Z", 3, "2026-10-25T02:00:00Z"),
        ])
    func anHourEndsWithTheNextOne(zone: String, at: String, number: Int, ends: String) throws {
        let hour = try SampleZones.rules(zone).hour(at: try SampleZones.time(at))
        #expect(hour.number == number)
        #expect(hour.ends == (try SampleZones.time(ends)))
    }

    /// Half an hour, by which Lord Howe Island changes its clock, and offsets of half and quarter hours: at 15:30 UTC the
    /// clock skips from 02:00 to 02:30, at 15:00 UTC it goes back from 02:00 to 01:30.
    @Test(
        arguments: [
            ("Australia/Lord_Howe", "2026-10-03T15:30:00Z", 2, "2026-10-03T16:00:00Z"),
            ("Australia/Lord_Howe", "2026-04-04T14:10:00Z", 1, "2026-04-04T15:00:00Z"),
            ("Australia/Lord_Howe", "2026-04-04T15:00:00Z", 1, "2026-04-04T15:30:00Z"),
            ("Asia/Kathmandu", "2026-01-01T00:00:00Z", 5, "2026-01-01T00:15:00Z"),
        ])
    func partsOfHoursAreHoursOfTheirOwn(zone: String, at: String, number: Int, ends: String) throws {
        let rules = try #require(TimeZoneCatalog().rules(named: zone))
        let hour = rules.hour(at: try SampleZones.time(at))
        #expect(hour.number == number)
        #expect(hour.ends == (try SampleZones.time(ends)))
    }

    @Test func timesBefore1970AreHoursToo() {
        let hour = TimeZoneRules.utc.hour(at: Timestamp(milliseconds: -1))
        #expect(hour.number == 23 && hour.ends == Timestamp(milliseconds: 0))
    }
}
