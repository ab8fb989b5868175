import ServiceKit
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (-86_400_000, "1969-12-31T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_208_001_002, "2024-02-29T12:00:01.002Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (-2_203_891_200_000, "1900-03-01T00:00:00.000Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (-62_198_755_200_000, "-0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func printsKnownDates(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test(arguments: [Int64.min, .max])
    func printsEvenTheFarthestTimes(milliseconds: Int64) {
        #expect(Timestamp(milliseconds: milliseconds).description.hasSuffix("Z"))
    }

    @Test func addsAndSubtracts() {
        let moment = Timestamp(milliseconds: 1_000)
        #expect(moment + .milliseconds(250) == Timestamp(milliseconds: 1_250))
        #expect(moment + .milliseconds(-1_001) == Timestamp(milliseconds: -1))
        #expect(moment - Timestamp(milliseconds: 3_000) == .seconds(-2))
        #expect(moment < moment + .milliseconds(1))
    }

    /// A message may contain any of these values, and comparing them with the clock must not trap.
    @Test func staysWithinItsRange() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(last + .milliseconds(1) == last && first + .milliseconds(-1) == first)
        #expect(last - first == .milliseconds(Int64.max) && first - last == .milliseconds(Int64.min))
    }
}
