import ServiceKit
import Testing

@testable import LocalTime

@Suite struct LocalDateTimeTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00", 0), ("2026-12-24T09:00", 29_968_380), ("2026-12-24T09:00:00", 29_968_380),
            ("1969-12-31T23:59", -1), ("2024-02-29T23:59", 28_487_519), ("2000-02-29T00:00", 15_863_040),
            ("0000-03-01T00:00", -1_036_033_920), ("9999-12-31T23:59", 4_223_371_679),
        ] as [(String, Int64)])
    func readsAMinute(_ text: String, minutes: Int64) throws {
        let local = try #require(LocalDateTime(text))
        #expect(local.minutesSinceEpoch == minutes)
        #expect("\(local)" == text.prefix("2026-12-24T09:00".count))
    }

    @Test(arguments: [
        "", "2026-12-24", "2026-12-24T09", "2026-12-24T9:00", "2026-12-24 09:00", "2026-12-24t09:00",
        "2026-12-24T09:00Z", "2026-12-24T09:00:", "2026-12-24T09:00:01", "2026-12-24T09:00:00Z",
        "2026-12-24T09:00:00.0", "2026-12-24T09:00+02:00", "2026-12-24T09:00 ", " 2026-12-24T09:00", "26-12-24T09:00",
        "+026-12-24T09:00", "-026-12-24T09:00", "12026-12-24T09:00", "2026-13-24T09:00", "2026-00-24T09:00",
        "2026-12-00T09:00", "2026-12-32T09:00", "2026-04-31T09:00", "2026-02-29T09:00", "1900-02-29T09:00",
        "2026-12-24T24:00", "2026-12-24T09:60", "２026-12-24T09:00", "2026-12-24T09:0\u{301}",
        "2026-12-24T09:00\u{301}", "2026\u{2D}12-24T09:00\0",
    ])
    func refusesAnythingElse(_ text: String) {
        #expect(LocalDateTime(text) == nil)
    }

    @Test func minutesHaveTheOrderOfTheClock() throws {
        let texts = ["0999-12-31T23:59", "2026-02-28T23:59", "2026-03-01T00:00", "2026-03-01T00:01"]
        let sorted = try texts.reversed().map { try #require(LocalDateTime($0)) }.sorted()
        #expect(sorted.map { "\($0)" } == texts)
        #expect(LocalDateTime("2026-03-01T00:00") == LocalDateTime("2026-03-01T00:00:00"))
    }

    @Test func aLocalTimeComesFirstInTheFarEastAndLastInTheFarWest() throws {
        let local = try #require(LocalDateTime("2026-12-24T09:00"))
        #expect(local.earliestInstant == Timestamp(rfc3339: "2026-12-24T09:00:00+14:00"))
        #expect(local.latestInstant == Timestamp(rfc3339: "2026-12-24T09:00:00-12:00"))
    }
}
