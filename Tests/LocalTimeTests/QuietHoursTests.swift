import LocalTime
import ServiceKit
import TestSupport
import Testing

@Suite struct QuietHoursTests {
    private static let helsinki = "Europe/Helsinki"

    @Test(
        arguments: [
            // Over midnight, in winter: two hours ahead of UTC.
            ("22:00", "07:00", "2026-01-15T19:59:59.999Z", nil),
            ("22:00", "07:00", "2026-01-15T20:00:00Z", "2026-01-16T05:00:00Z"),
            ("22:00", "07:00", "2026-01-15T22:00:00Z", "2026-01-16T05:00:00Z"),
            ("22:00", "07:00", "2026-01-16T00:30:00.5Z", "2026-01-16T05:00:00Z"),
            ("22:00", "07:00", "2026-01-16T04:59:59.999Z", "2026-01-16T05:00:00Z"),
            ("22:00", "07:00", "2026-01-16T05:00:00Z", nil), ("22:00", "07:00", "2026-01-16T12:00:00Z", nil),
            // Within one day, in summer; from and to midnight.
            ("12:00", "14:00", "2026-07-01T08:59:59Z", nil),
            ("12:00", "14:00", "2026-07-01T09:00:00Z", "2026-07-01T11:00:00Z"),
            ("12:00", "14:00", "2026-07-01T11:00:00Z", nil), ("00:00", "07:00", "2026-07-01T20:59:59Z", nil),
            ("00:00", "07:00", "2026-07-01T21:00:00Z", "2026-07-02T04:00:00Z"),
            ("22:00", "00:00", "2026-07-01T20:59:59Z", "2026-07-01T21:00:00Z"),
            ("22:00", "00:00", "2026-07-01T21:00:00Z", nil),
            // All day but a minute, and never.
            ("09:01", "09:00", "2026-07-01T06:01:00Z", "2026-07-02T06:00:00Z"),
            ("09:01", "09:00", "2026-07-01T06:00:59Z", nil),
            ("09:00", "09:00", "2026-07-01T06:00:00Z", nil), ("09:00", "09:00", "2026-07-01T12:00:00Z", nil),
            // The clock skips from 03:00 to 04:00 at 01:00 UTC: a shorter night, a skipped end, a skipped start.
            ("22:00", "07:00", "2026-03-28T20:00:00Z", "2026-03-29T04:00:00Z"),
            ("22:00", "03:30", "2026-03-28T20:00:00Z", "2026-03-29T01:00:00Z"),
            ("22:00", "03:30", "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z"),
            ("22:00", "03:30", "2026-03-29T01:00:00Z", nil),
            ("22:00", "03:00", "2026-03-28T20:00:00Z", "2026-03-29T01:00:00Z"),
            ("22:00", "04:00", "2026-03-28T20:00:00Z", "2026-03-29T01:00:00Z"),
            ("03:30", "05:00", "2026-03-29T00:59:59Z", nil),
            ("03:30", "05:00", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z"),
            ("03:10", "03:50", "2026-03-29T01:00:00Z", nil),
            // It shows 03:00 to 04:00 twice, from 00:00 and from 01:00 UTC: a longer night, an end and a start in it.
            ("22:00", "07:00", "2026-10-24T19:00:00Z", "2026-10-25T05:00:00Z"),
            ("22:00", "03:30", "2026-10-24T19:00:00Z", "2026-10-25T00:30:00Z"),
            ("22:00", "03:30", "2026-10-25T00:30:00Z", nil),
            ("22:00", "03:30", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"),
            ("22:00", "03:30", "2026-10-25T01:30:00Z", nil),
            ("03:30", "05:00", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z"),
            ("03:30", "05:00", "2026-10-25T01:00:00Z", nil),
            ("03:30", "05:00", "2026-10-25T01:30:00Z", "2026-10-25T03:00:00Z"),
            ("22:00", "04:00", "2026-10-24T19:00:00Z", "2026-10-25T02:00:00Z"),
        ] as [(String, String, String, String?)])
    func quietHoursEndWhenAClockShowsTheirEnd(start: String, end: String, at: String, release: String?) throws {
        let quiet = try quiet(start, end)
        let moment = try SampleZones.time(at)
        let expected = try release.map { try SampleZones.time($0) }
        #expect(quiet.release(at: moment, in: try SampleZones.rules(QuietHoursTests.helsinki)) == expected)
    }

    /// Samoa skipped the whole of 30 December 2011, from midnight to midnight.
    @Test func aSkippedDayIsNoNight() throws {
        let zone = try SampleZones.rules("Pacific/Apia")
        let evening = try SampleZones.time("2011-12-29T22:30:00-10:00")
        let release = try quiet("22:00", "07:00").release(at: evening, in: zone)
        #expect(release == Timestamp(rfc3339: "2011-12-31T07:00:00+14:00"))
    }

    /// Goal: the rule is the same as for a person who watches the clock. Method: random quiet hours and moments near
    /// the transitions of 2026, against a clock that is read minute by minute.
    @Test(arguments: Dice.seeds) func theRuleIsThatOfAClock(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let zones = ["Europe/Helsinki", "Australia/Lord_Howe", "America/New_York", "America/Nuuk", "Europe/Dublin"]
        for _ in 0..<60 {
            let zone = try SampleZones.rules(zones[dice.number(below: zones.count)])
            let quiet = QuietHours(
                start: dice.number(below: 1_440), end: dice.number(below: 1_440), timeZone: "Europe/Helsinki")
            let day = ["2026-03-07", "2026-03-28", "2026-04-04", "2026-10-03", "2026-10-24", "2026-10-31"][
                dice.number(below: 6)]
            let moment = try SampleZones.time("\(day)T00:00:00Z") + .seconds(60 * dice.number(below: 2_880))
            let first = (0...1_600).lazy.map { moment + .seconds(60 * $0) }
                .first { !isQuiet(quiet, local: zone.local($0)) }
            #expect(quiet.release(at: moment, in: zone) ?? moment == first, "\(quiet) at \(moment)")
        }
    }

    private func isQuiet(_ quiet: QuietHours, local: LocalDateTime) -> Bool {
        let shown = minute("\(local)".suffix(5)) ?? 0
        return quiet.start <= quiet.end
            ? quiet.start <= shown && shown < quiet.end : quiet.start <= shown || shown < quiet.end
    }

    private func quiet(_ start: String, _ end: String) throws -> QuietHours {
        QuietHours(
            start: try #require(minute(start)), end: try #require(minute(end)), timeZone: QuietHoursTests.helsinki)
    }

    private func minute(_ text: some StringProtocol) -> Int? {
        guard let hours = Int(text.prefix(2)), let minutes = Int(text.suffix(2)) else { return nil }
        return hours * 60 + minutes
    }
}
