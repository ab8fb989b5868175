import ServiceKit
import Testing

@Suite struct TimestampTextTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-01-01T00:00:00Z", 1_767_225_600_000),
            ("2024-02-29t23:59:59.999999z", 1_709_251_199_999), ("2026-01-01T02:00:00+02:00", 1_767_225_600_000),
            ("2025-12-31T18:30:00.5-05:30", 1_767_225_600_500), ("1969-12-31T23:59:59.999Z", -1),
            ("0000-03-01T00:00:00Z", -62_162_035_200_000), ("9999-12-31T23:59:59Z", 253_402_300_799_000),
        ] as [(String, Int64)])
    func readsTimes(_ text: String, milliseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test func whatWasPrintedIsReadAgain() {
        let random = SeededRandomSource(seed: 3)
        for _ in 0..<2_000 {
            let time = Timestamp(milliseconds: Int64(random.next() % 4_000_000_000_000))
            #expect(Timestamp(rfc3339: time.description) == time)
        }
    }

    @Test(arguments: [
        "", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.1234567890Z",
        "2026-01-01T00:00:00+2:00", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00Z ",
        "+026-01-01T00:00:00Z", "２026-01-01T00:00:00Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
    ])
    func refusesWhatIsNoTime(_ text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}
