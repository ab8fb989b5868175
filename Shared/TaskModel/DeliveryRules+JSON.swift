package import JSONKit
import LocalTime
import PushModel
package import ServiceKit

/// Format of the rules in a task.
extension DeliveryRules {
    package var json: JSON {
        var object = JSONObject()
        object["local_time"] = localTime.map { .string("\($0)") }
        object["quiet_hours"] = quietHours?.json
        if quietHours != nil { object["quiet_policy"] = .string(quietPolicy.rawValue) }
        if timeZone != DeliveryRules.fallbackZone { object["time_zone"] = .string(timeZone) }
        object["rate"] = rate.map { .integer(Int64($0)) }
        object["app_rate"] = appRate.map { .integer(Int64($0)) }
        if let cap {
            object["cap"] = .object(
                JSONObject([
                    ("count", .integer(Int64(cap.count))), ("period_ms", .integer(cap.period.wholeMilliseconds)),
                ]))
            object["cap_policy"] = .string(capPolicy.rawValue)
        }
        return .object(object)
    }

    /// Errors are added to the problems of the fields.
    package init(_ fields: JSONFields, accepted: Timestamp) {
        self.init(accepted: accepted)
        localTime = fields.text("local_time", expected: "a local time") { LocalDateTime($0) }
        quietHours = fields.object("quiet_hours").flatMap { QuietHours($0) }
        let policy = fields.text("quiet_policy", expected: "a policy") { QuietPolicy(rawValue: $0) }
        quietPolicy = policy ?? quietPolicy
        let zone = fields.text("time_zone", expected: "a time zone") { TimeZoneName.isPossible($0) ? $0 : nil }
        timeZone = zone ?? timeZone
        rate = fields.integer("rate", in: PushRate.allowed)
        appRate = fields.integer("app_rate", in: PushRate.allowed)
        cap = fields.object("cap").flatMap { DeliveryRules.cap($0) }
        let capPolicy = fields.text("cap_policy", expected: "a policy") { CapPolicy(rawValue: $0) }
        self.capPolicy = capPolicy ?? self.capPolicy
    }

    private static func cap(_ fields: JSONFields) -> PushCap? {
        let periods = PushCap.periods.lowerBound.wholeMilliseconds...PushCap.periods.upperBound.wholeMilliseconds
        let count = fields.integer("count", in: PushCap.counts, isRequired: true)
        let period = fields.integer(
            "period_ms", in: Int(periods.lowerBound)...Int(periods.upperBound), isRequired: true)
        guard let count, let period else { return nil }
        return PushCap(count: count, period: .milliseconds(period))
    }
}
