import JSONKit
import LocalTime
import PushModel
import ServiceKit
import TaskModel
import Testing

@Suite struct DeliveryRulesTests {
    private let start = Timestamp(milliseconds: 1_900_000_000_000)

    /// A device may wait for its quiet hours, then for its cap, then for its quiet hours again.
    @Test func theLatestBeginningAllowsForEveryWait() {
        var rules = DeliveryRules(accepted: start)
        #expect(rules.latestBeginning(of: start) == start && rules.latestCapEnd(of: start) == nil)
        rules.cap = PushCap(count: 5, period: .seconds(86_400))
        let (night, day, hour) = (Duration.seconds(26 * 3_600), Duration.seconds(86_400), Duration.seconds(3_600))
        #expect(rules.latestCapEnd(of: start) == start + day + hour)
        #expect(rules.latestBeginning(of: start) == start + day + hour)
        rules.quietHours = QuietHours(start: 1_320, end: 420, timeZone: "UTC")
        #expect(rules.latestCapEnd(of: start) == start + night + day + hour)
        #expect(rules.latestBeginning(of: start) == start + night + day + hour + night)
        rules.capPolicy = .skip
        #expect(rules.latestCapEnd(of: start) == nil && rules.latestBeginning(of: start) == start + night)
        rules.quietPolicy = .skip
        #expect(rules.latestBeginning(of: start) == start)
    }

    @Test(arguments: [
        (#"{"cap":{"period_ms":60000}}"#, "cap.count"), (#"{"cap":{"count":0,"period_ms":60000}}"#, "cap.count"),
        (#"{"cap":{"count":1,"period_ms":59999}}"#, "cap.period_ms"),
        (#"{"cap":{"count":1,"period_ms":60000},"cap_policy":"never"}"#, "cap_policy"),
    ])
    func aWrongFieldOfACapIsNamed(text: String, field: String) throws {
        let problems = JSONProblems()
        _ = DeliveryRules(JSONFields(try JSON(text), path: "rules", problems: problems), accepted: start)
        #expect(problems.all.map(\.path) == ["rules.\(field)"])
    }
}
