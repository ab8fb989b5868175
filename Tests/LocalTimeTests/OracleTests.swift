import ServiceKit
import TestSupport
import Testing

@testable import LocalTime

/// Compares with Python's zoneinfo: every transition of twelve zones from 1990 to 2060, and local times around them.
/// `Oracle/make.py` wrote the table.
@Suite struct OracleTests {
    private struct Expected {
        let zone: String
        var offsets: [(instant: Int64, before: Int64, after: Int64)] = []
        var locals: [(local: String, instant: Int64)] = []
    }

    private static func table() throws -> [Expected] {
        let text = try #require(SourceTree.text("Tests/LocalTimeTests/Oracle/expected.txt"))
        var zones: [Expected] = []
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            let numbers = words.map { Int64($0) }
            switch words[0] {
            case "zone": zones.append(Expected(zone: words[1]))
            case "offset":
                zones[zones.count - 1].offsets.append(
                    (try #require(numbers[1]), try #require(numbers[2]), try #require(numbers[3])))
            default: zones[zones.count - 1].locals.append((words[1], try #require(numbers[2])))
            }
        }
        return zones
    }

    @Test func offsetsAreThoseOfPython() throws {
        var count = 0
        for expected in try OracleTests.table() {
            let rules = try SampleZones.rules(expected.zone)
            for (place, change) in expected.offsets.enumerated() {
                let next = place + 1 < expected.offsets.count ? expected.offsets[place + 1].instant : change.instant + 2
                let instants = [
                    (change.instant - 60, change.before), (change.instant - 1, change.before),
                    (change.instant, change.after), (change.instant + 60, change.after),
                    ((change.instant + next) / 2, change.after),
                ]
                for (instant, offset) in instants {
                    let moment = Timestamp(seconds: instant)
                    #expect(rules.offset(at: moment) == .seconds(offset), "\(expected.zone) at \(moment)")
                    // A clock shows what UTC's clock shows at another time.
                    let shown = "\(moment + .seconds(offset))".prefix("2026-12-24T09:00".count)
                    #expect("\(rules.local(moment))" == shown)
                }
                count += 1
            }
        }
        #expect(count > 1_000)
    }

    @Test func instantsOfLocalTimesAreThoseOfPython() throws {
        var count = 0
        for expected in try OracleTests.table() {
            let rules = try SampleZones.rules(expected.zone)
            for (text, instant) in expected.locals {
                let local = try #require(LocalDateTime(text))
                #expect(rules.timestamp(of: local) == Timestamp(seconds: instant), "\(expected.zone) \(text)")
                count += 1
            }
        }
        #expect(count > 500)
    }

    /// Goal: the definition holds beside Python's rows, too. Method: random local times near transitions, against a
    /// search minute by minute.
    @Test(arguments: Dice.seeds) func theFirstMinuteThatShowsALocalTimeIsTaken(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let zones = try OracleTests.table().filter { !$0.offsets.isEmpty }
        for _ in 0..<20 {
            let expected = zones[dice.number(below: zones.count)]
            let change = expected.offsets[dice.number(below: expected.offsets.count)]
            let rules = try SampleZones.rules(expected.zone)
            let local = LocalDateTime(
                minutesSinceEpoch: (change.instant + change.before) / 60 + Int64(dice.number(below: 300)) - 150)
            let first = try #require(
                (0..<52 * 60).lazy.map { (minute: Int) -> Timestamp in
                    local.earliestInstant + .seconds(60 * (minute - 24 * 60))
                }.first { rules.local($0) >= local })
            #expect(rules.timestamp(of: local) == first, "\(expected.zone) \(local)")
        }
    }
}
