import ServiceKit
import TestSupport
import Testing

@testable import LocalTime

/// Bytes that are no file of tzdata, or one that no tool writes: none traps, and none costs more than its size.
@Suite struct HostileFileTests {
    @Test func everyShorterFileIsRefused() throws {
        for name in ["Europe/Helsinki", "Etc/GMT+12"] {
            let bytes = try SampleZones.bytes(name)
            for count in 0..<bytes.count { #expect(TimeZoneRules(tzif: Array(bytes[..<count])) == nil, "\(count)") }
        }
    }

    @Test func aFileThatContradictsItselfIsRefused() {
        let later = [(instant: Int64(5), type: UInt8(0)), (instant: 5, type: 0)]
        #expect(TimeZoneRules(tzif: TZifBytes(transitions: later).bytes) == nil)
        #expect(TimeZoneRules(tzif: TZifBytes(transitions: [(5, 0), (4, 0)]).bytes) == nil)
        #expect(TimeZoneRules(tzif: TZifBytes(transitions: [(5, 1)]).bytes) == nil)
        #expect(TimeZoneRules(tzif: TZifBytes(types: []).bytes) == nil)
        #expect(TimeZoneRules(tzif: TZifBytes(types: [26 * 3_600]).bytes) == nil)
        #expect(TimeZoneRules(tzif: TZifBytes(types: [-25 * 3_600]).bytes) == nil)
        #expect(TimeZoneRules(tzif: TZifBytes(types: [.min]).bytes) == nil)
        #expect(TimeZoneRules(tzif: TZifBytes(version: UInt8(ascii: "1")).bytes) == nil)
        #expect(TimeZoneRules(tzif: Array("TZix".utf8) + TZifBytes().bytes.dropFirst(4)) == nil)
    }

    /// The counts are up to 32 bits each, more than any file holds.
    @Test func countsBeyondTheFileAreRefused() {
        for place in stride(from: 20, to: 44, by: 4) {
            for value: [UInt8] in [[255, 255, 255, 255], [127, 255, 255, 255], [0, 1, 0, 0]] {
                var bytes = TZifBytes().bytes
                bytes.replaceSubrange(place..<place + 4, with: value)
                #expect(TimeZoneRules(tzif: bytes) == nil, "\(value) at \(place)")
            }
        }
    }

    @Test func aFileHasABound() {
        var file = TZifBytes(types: [0, 60])
        file.transitions = (0..<5_000).map { (Int64($0), UInt8($0 % 2)) }
        #expect(file.bytes.count < TimeZoneRules.bytesMaximum + 5_000)
        #expect(TimeZoneRules(tzif: file.bytes) == nil)
        let padding = [UInt8](repeating: 0, count: TimeZoneRules.bytesMaximum)
        let small = TZifBytes().bytes
        #expect(TimeZoneRules(tzif: small + padding.dropFirst(small.count)) == .utc)
        #expect(TimeZoneRules(tzif: small + padding.dropFirst(small.count - 1)) == nil)
    }

    @Test(arguments: Dice.seeds) func randomBytesAreHarmless(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let files = try ["Europe/Helsinki", "Australia/Lord_Howe", "Africa/Casablanca"].map {
            try SampleZones.bytes($0)
        }
        var count = 0
        for round in 0..<600 {
            var bytes = files[dice.number(below: files.count)]
            if round % 4 == 0 {
                bytes = TZifBytes().header + dice.bytes(dice.number(below: 200))
            } else {
                for _ in 0...dice.number(below: 4) { bytes[dice.number(below: bytes.count)] = dice.bytes(1)[0] }
            }
            guard let rules = TimeZoneRules(tzif: bytes) else { continue }
            count += 1
            check(rules, dice: &dice)
        }
        // Of 400 seeds the least was 43, the median 63.
        #expect(count > 20, "the parser refused nearly everything")
    }

    private func check(_ rules: TimeZoneRules, dice: inout Dice) {
        for _ in 0..<3 {
            let moment = Timestamp(milliseconds: Int64(truncatingIfNeeded: dice.next() >> dice.number(below: 40)))
            let local = rules.local(moment)
            let first = rules.timestamp(of: local)
            #expect(first <= moment)
            #expect(rules.local(first) >= local)
            let quiet = QuietHours(start: dice.number(below: 1_440), end: dice.number(below: 1_440), timeZone: "UTC")
            guard let release = quiet.release(at: moment, in: rules) else { continue }
            #expect(release > moment)
            #expect(quiet.release(at: release, in: rules) == nil)
        }
    }

    /// Goal: time is linear also for the worst file. Method: as many transitions as fit, one a second, each of which
    /// moves the clock back into quiet hours; a walk visits them all.
    @Test func theWorstFileCostsLittle() throws {
        var file = TZifBytes(types: (0..<200).map { -$0 * 60 })
        file.transitions = (0..<3_500).map { (Int64($0) + 30, UInt8($0 % 200)) }
        let bytes = file.bytes
        let rules = try #require(TimeZoneRules(tzif: bytes))
        let parsing = threadTime { _ = TimeZoneRules(tzif: bytes) }
        #expect(parsing < .milliseconds(200))
        let quiet = QuietHours(start: 20 * 60, end: 0, timeZone: "UTC")
        let walking = threadTime {
            _ = quiet.release(at: Timestamp(milliseconds: 0) + .seconds(-60), in: rules)
            _ = rules.timestamp(of: LocalDateTime(minutesSinceEpoch: 120))
        }
        #expect(walking < .milliseconds(200))
    }
}
