import ServiceKit
import Testing

@Suite struct SettingTextTests {
    @Test(
        arguments: [
            ("250ms", .milliseconds(250)), ("30s", .seconds(30)), ("5m", .seconds(300)), ("12h", .seconds(43_200)),
            ("7d", .seconds(604_800)), ("0s", .zero),
        ] as [(String, Duration)])
    func readsAndPrintsDurations(text: String, duration: Duration) {
        #expect(DurationText.parse(text) == duration)
        #expect(DurationText.print(duration) == text)
    }

    @Test(arguments: ["", "5", "s", "-5s", "+5s", "5 s", "1.5s", "5S", "5sec", "٥s", "9223372036854775807d"])
    func refusesWhatIsNoDuration(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test func printsTheLargestUnitThatDivides() {
        #expect(DurationText.print(.milliseconds(90_000)) == "90s")
        #expect(DurationText.print(.milliseconds(1_001)) == "1001ms")
        #expect(DurationText.print(.seconds(-60)) == "-1m")
    }

    @Test(arguments: [("512KiB", 524_288), ("64MiB", 67_108_864), ("2GiB", 2_147_483_648), ("1000B", 1_000), ("0", 0)])
    func readsAndPrintsSizes(text: String, bytes: Int) {
        #expect(ByteText.parse(text) == bytes)
        #expect(ByteText.print(bytes) == text)
    }

    @Test func readsPlainBytes() {
        #expect(ByteText.parse("4096") == 4_096)
    }

    @Test(arguments: ["", "KiB", "-1", "1.5GiB", "1GB", "1 KiB", "9223372036854775807GiB", "99999999999999999999"])
    func refusesWhatIsNoSize(text: String) {
        #expect(ByteText.parse(text) == nil)
    }
}
