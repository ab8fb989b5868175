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
        object["group"] = group.map { group in
            .object(JSONObject([("id", .integer(group.id)), ("rate", .integer(Int64(group.perSecond)))]))
        }
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
        group = fields.object("group").flatMap { DeliveryRules.group($0) }
        cap = fields.object("cap").flatMap { DeliveryRules.cap($0) }
        let capPolicy = fields.text("cap_policy", expected: "a policy") { CapPolicy(rawValue: $0) }
        self.capPolicy = capPolicy ?? self.capPolicy
    }

    private static func group(_ fields: JSONFields) -> GroupRate? {
        let id = fields.integer("id", in: 0...Int.max, isRequired: true)
        let perSecond = fields.integer("rate", in: PushRate.allowed, isRequired: true)
        guard let id, let perSecond else { return nil }
        return GroupRate(id: Int64(id), perSecond: perSecond)
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
