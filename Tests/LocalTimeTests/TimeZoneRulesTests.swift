import ServiceKit
import TestSupport
import Testing

@testable import LocalTime

@Suite struct TimeZoneRulesTests {
    private func rules(_ file: TZifBytes) throws -> TimeZoneRules {
        try #require(TimeZoneRules(tzif: file.bytes))
    }

    private func hours(_ rules: TimeZoneRules, at text: String) throws -> Double {
        rules.offset(at: try SampleZones.time(text)).inSeconds / 3_600
    }

    @Test(
        arguments: [
            // Fixed offsets, with each form of a name and of an offset.
            ("UTC0", "2026-07-01T00:00:00Z", 0), ("<+03>-3", "2026-07-01T00:00:00Z", 3),
            ("<-12>12", "2026-07-01T00:00:00Z", -12), ("IST-5:30", "2026-07-01T00:00:00Z", 5.5),
            ("abc+24:59:59", "2026-07-01T00:00:00Z", -24.99972222222222),
            ("<+0545>-05:45", "2026-07-01T00:00:00Z", 5.75),
            // The last Sunday of a month, which is its fifth or its fourth.
            ("EET-2EEST,M3.5.0/3,M10.5.0/4", "2026-03-29T00:59:59Z", 2),
            ("EET-2EEST,M3.5.0/3,M10.5.0/4", "2026-03-29T01:00:00Z", 3),
            ("EET-2EEST,M3.5.0/3,M10.5.0/4", "2026-10-25T00:59:59Z", 3),
            ("EET-2EEST,M3.5.0/3,M10.5.0/4", "2026-10-25T01:00:00Z", 2),
            ("EET-2EEST,M3.5.0/3,M10.5.0/4", "2027-03-28T01:00:00Z", 3),
            // Two o'clock, unless another time is written.
            ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T06:59:59Z", -5),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-03-08T07:00:00Z", -4),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T05:59:59Z", -4),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-11-01T06:00:00Z", -5),
            // The south, where daylight time spans the new year; half an hour of it.
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2027-01-01T00:00:00Z", 11),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-07-01T00:00:00Z", 10.5),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-04-04T14:59:59Z", 11),
            ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2026-04-04T15:00:00Z", 10.5),
            // Daylight time behind standard time, as in Ireland.
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01T00:00:00Z", 1),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-12-01T00:00:00Z", 0),
            // A time before the day, and one after it.
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T00:59:59Z", -2),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-29T01:00:00Z", -1),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-27T23:59:59Z", 2),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", "2026-03-28T00:00:00Z", 3),
            // Days of the year: J60 is 1 March also in a leap year, 59 is then 29 February.
            ("AAA0BBB,J60/0,J365/0", "2024-02-29T23:59:59Z", 0), ("AAA0BBB,J60/0,J365/0", "2024-03-01T00:00:00Z", 1),
            ("AAA0BBB,J60/0,J365/0", "2023-03-01T00:00:00Z", 1), ("AAA0BBB,J59/0,J365/0", "2024-02-28T00:00:00Z", 1),
            ("AAA0BBB,59/0,300", "2024-02-29T00:00:00Z", 1), ("AAA0BBB,59/0,300", "2024-02-28T23:59:59Z", 0),
            ("AAA0BBB,59/0,300", "2023-03-01T00:00:00Z", 1), ("AAA0BBB,J365/0,J1/2", "2024-12-31T00:00:00Z", 1),
            ("AAA0BBB,J365/0,J1/2", "2025-01-01T00:59:59Z", 1), ("AAA0BBB,J365/0,J1/2", "2025-01-01T01:00:00Z", 0),
            // Changes that leave their year: the last one is then of the year before last.
            ("AAA0BBB,J1/-167,J364/167", "2025-12-25T00:59:59Z", 0),
            ("AAA0BBB,J1/-167,J364/167", "2025-12-25T01:00:00Z", 1),
            ("AAA0BBB,J1/-167,J364/167", "2026-01-05T23:00:00Z", 0),
            ("AAA0BBB,J350/0,J364/167", "2026-01-01T00:00:00Z", 1),
            ("AAA0BBB,J364/167,J365/167", "2026-01-05T22:59:59Z", 0),
            ("AAA0BBB,J364/167,J365/167", "2026-01-05T23:00:00Z", 1),
            ("AAA0BBB,J364/167,J365/167", "2026-01-06T22:00:00Z", 0),
            // Daylight time all year.
            ("EST5EDT,0/0,J365/25", "2026-01-01T05:00:00Z", -4), ("EST5EDT,0/0,J365/25", "2026-01-01T04:59:59Z", -4),
            ("EST5EDT,0/0,J365/25", "2024-12-31T23:00:00Z", -4), ("EST5EDT,0/0,J365/25", "2026-07-01T00:00:00Z", -4),
        ] as [(String, String, Double)])
    func aFooterIsARuleForEveryYear(footer: String, time: String, expected: Double) throws {
        let zone = try rules(TZifBytes(types: [0], footer: footer))
        #expect(try hours(zone, at: time) == expected)
    }

    @Test(arguments: [
        "U0", "UT0", "UTC", "UTC0 ", " UTC0", "UTC25", "UTC24:60", "UTC1:5", "UTC--1", "UTC0:00:00:00", "<UTC0",
        "<UT>0",
        "<U_C>0", "UTC0123", "UT\u{C7}0", ":UTC0", "EST5EDT", "EST5EDT4", "EST5EDT,M3.2.0", "EST5EDT,M3.2.0,",
        "EST5EDT,M3.2.0,M11.1.0,", "EST5EDT,M0.2.0,M11.1.0", "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M3.0.0,M11.1.0",
        "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,M3.2,M11.1.0", "EST5EDT,J0,M11.1.0",
        "EST5EDT,J366,M11.1.0", "EST5EDT,366,M11.1.0", "EST5EDT,-1,M11.1.0", "EST5EDT,M3.2.0/168,M11.1.0",
        "EST5EDT,M3.2.0/,M11.1.0", "EST5EDT,M3.2.0/1:60,M11.1.0", "EST5 EDT,M3.2.0,M11.1.0", "EST5,M3.2.0,M11.1.0",
        "EST5EDT,J99999999999999999999,M11.1.0",
    ])
    func anyOtherFooterIsRefused(footer: String) {
        #expect(TimeZoneRules(tzif: TZifBytes(footer: footer).bytes) == nil)
    }

    @Test func theFooterIsValidAfterTheLastTransitionOnly() throws {
        let zone = try rules(
            TZifBytes(
                types: [600, 7_200, 3_600], transitions: [(-100, 1), (1_000, 2)], footer: "EET-2EEST,M3.5.0/3,M10.5.0/4"
            ))
        let expected: [(Int64, Int64)] = [
            (-101, 600), (-100, 7_200), (999, 7_200), (1_000, 7_200), (7_686_000, 10_800), (.max / 1_000, 10_800),
            (.min / 1_000, 600),
        ]
        for (instant, offset) in expected {
            #expect(zone.offset(at: Timestamp(seconds: instant)) == .seconds(offset), "at \(instant)")
        }
        let withoutFooter = try rules(TZifBytes(types: [600, 7_200], transitions: [(-100, 1)]))
        #expect(withoutFooter.offset(at: Timestamp(seconds: 7_686_000)) == .seconds(7_200))
    }

    @Test(arguments: [0, 0x32, 0x33, 0x34] as [UInt8]) func everyVersionIsRead(version: UInt8) throws {
        var file = TZifBytes(
            version: version, types: [0, -3_600], transitions: [(-2_000_000_000, 1), (2_000_000_000, 0)])
        let plain = try rules(file)
        #expect(plain.offset(at: Timestamp(seconds: -2_000_000_001)) == .zero)
        #expect(plain.offset(at: Timestamp(seconds: -2_000_000_000)) == .seconds(-3_600))
        #expect(plain.offset(at: Timestamp(seconds: 2_000_000_000)) == .zero)
        file.leapSeconds = 27
        file.hasIndicators = true
        #expect(try rules(file) == plain)
    }

    /// The first block has 32 bits; a transition of the second lies beyond them.
    @Test func timesOf64BitsAreRead() throws {
        let zone = try rules(TZifBytes(types: [0, 3_600], transitions: [(1 << 33, 1)]))
        #expect(zone.offset(at: Timestamp(seconds: (1 << 33) - 1)) == .zero)
        #expect(zone.offset(at: Timestamp(seconds: 1 << 33)) == .seconds(3_600))
    }

    @Test func utcIsTheSameEverywhere() throws {
        let local = try #require(LocalDateTime("2026-12-24T09:00"))
        #expect(TimeZoneRules.utc.timestamp(of: local) == Timestamp(rfc3339: "2026-12-24T09:00:00Z"))
        #expect(TimeZoneRules.utc.local(try SampleZones.time("2026-12-24T09:00:59.999Z")) == local)
        #expect(TimeZoneRules.utc.local(Timestamp(milliseconds: -1)) == LocalDateTime("1969-12-31T23:59"))
    }

    /// A moment from a message may have any value of its type.
    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max]) func noMomentIsTooFar(milliseconds: Int64) throws {
        let moment = Timestamp(milliseconds: milliseconds)
        for name in ["Europe/Helsinki", "Etc/GMT+12", "Pacific/Apia"] {
            let zone = try SampleZones.rules(name)
            let local = zone.local(moment)
            #expect(!"\(local)".isEmpty)
            // Up to half a day later, since the local time of the first moment is that moment in the far west.
            #expect(zone.timestamp(of: local) - moment <= .seconds(12 * 3_600))
            #expect(local.earliestInstant <= local.latestInstant)
            #expect(
                QuietHours(start: 60, end: 120, timeZone: "UTC").release(at: moment, in: zone) ?? .distant >= moment)
        }
    }

    /// Goal: a zone of the last century has an offset with seconds, and a clock that was set by part of a minute.
    /// Method: Helsinki on 1 May 1921, from 01:39:49 ahead to 2 hours.
    @Test func offsetsMayHaveSeconds() throws {
        let zone = try SampleZones.rules("Europe/Helsinki")
        let change = try SampleZones.time("1921-04-30T22:20:11Z")
        #expect(zone.offset(at: change + .seconds(-1)) == .seconds(5_989))
        #expect("\(zone.local(change + .seconds(-1)))" == "1921-04-30T23:59")
        #expect("\(zone.local(change))" == "1921-05-01T00:20")
        #expect(zone.timestamp(of: try #require(LocalDateTime("1921-05-01T00:10"))) == change)
        #expect(zone.timestamp(of: try #require(LocalDateTime("1921-05-01T00:20"))) == change)
    }
}

extension Timestamp {
    fileprivate static let distant = Timestamp(milliseconds: .max)
}
