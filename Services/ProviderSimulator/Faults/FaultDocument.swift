import JSONKit
import ServiceKit

/// The JSON form of a fault rule in the admin API.
enum FaultDocument {
    private static let kinds = ["answer", "refuse", "fail", "stall", "drop", "delay"]

    /// Returns nil for an invalid document; the errors are added to the problems of `fields`.
    static func rule(_ fields: JSONFields) -> FaultRule? {
        let kind = fields.text("kind", expected: "one of \(kinds.joined(separator: ", "))", isRequired: true) {
            kinds.contains($0) ? $0 : nil
        }
        let endpoint =
            fields.text(
                "endpoint", expected: "send, token, channels or broadcast", convert: FaultRule.Endpoint.init) ?? .send
        let selection = selection(fields)
        guard let kind, let effect = effect(kind, fields: fields), let selection else { return nil }
        return FaultRule(endpoint: endpoint, effect: effect, selection: selection)
    }

    private static func selection(_ fields: JSONFields) -> FaultRule.Selection? {
        let next = fields.integer("next", in: 1...Int(Int32.max))
        let share = fields.value("share", expected: "a number above 0 and up to 1") { number($0, in: 0...1) }
        switch (next, share) {
        case (nil, nil): return .always
        case (let next?, nil): return .next(next)
        case (nil, let share?): return .share(share)
        case (.some, .some):
            fields.reject("share", message: "not allowed with next; choose one of them")
            return nil
        }
    }

    private static func effect(_ kind: String, fields: JSONFields) -> FaultRule.Effect? {
        if kind == "delay" { return delay(fields).map(FaultRule.Effect.delay) }
        let isDelivered = fields.bool("delivered") ?? false
        let fault: Fault?
        switch kind {
        case "answer": fault = answer(fields)
        case "fail": fault = .fail
        case "stall": fault = .stall
        case "drop": fault = .drop
        default:
            fault = .refuse
            if isDelivered { fields.reject("delivered", message: "not allowed with refuse: nothing was processed") }
        }
        return fault.map { .fault($0, isDelivered: isDelivered) }
    }

    private static func answer(_ fields: JSONFields) -> Fault? {
        let status = fields.integer("status", in: 200...599, isRequired: true)
        let reason = fields.text("reason", bytesMaximum: 100)
        let retryAfter = fields.integer("retry_after", in: 0...86_400)
        return status.map { .answer(AskedError(status: $0, reason: reason, retryAfter: retryAfter)) }
    }

    private static func delay(_ fields: JSONFields) -> DelayDistribution? {
        let fixed = duration("fixed", fields: fields)
        let (from, to) = (duration("from", fields: fields), duration("to", fields: fields))
        let (median, p99) = (duration("median", fields: fields), duration("p99", fields: fields))
        switch (fixed, from, to, median, p99) {
        case (let fixed?, nil, nil, nil, nil): return .fixed(fixed)
        case (nil, let from?, let to?, nil, nil) where from <= to: return .uniform(from...to)
        case (nil, nil, nil, let median?, let p99?) where median > .zero && median < p99:
            return .longTail(median: median, p99: p99)
        default:
            fields.reject("kind", message: "delay: expected fixed, or from and to, or median and a longer p99")
            return nil
        }
    }

    private static func duration(_ name: String, fields: JSONFields) -> Duration? {
        fields.text(name, expected: "a time up to a minute, such as 20ms") { text in
            DurationText.parse(text).flatMap { $0 <= DelayDistribution.longest ? $0 : nil }
        }
    }

    private static func number(_ value: JSON, in range: ClosedRange<Double>) -> Double? {
        switch value {
        case .integer(let whole) where range.contains(Double(whole)): Double(whole)
        case .number(let number) where range.contains(number): number
        default: nil
        }
    }

    static func json(_ number: Int, rule: FaultRule) -> String {
        JSONText.object { json in
            json.member("number", number)
            json.member("endpoint", rule.endpoint.rawValue)
            switch rule.effect {
            case .fault(let fault, let isDelivered):
                json.member("kind", fault.kind)
                if case .answer(let error) = fault { describe(error, in: &json) }
                json.member("delivered", isDelivered)
            case .delay(let distribution):
                json.member("kind", "delay")
                describe(distribution, in: &json)
            }
            switch rule.selection {
            case .always: break
            case .next(let count): json.member("next", count)
            case .share(let share): json.member("share", share)
            }
        }
    }

    private static func describe(_ error: AskedError, in json: inout JSONText) {
        json.member("status", error.status)
        if let reason = error.reason { json.member("reason", reason) }
        if let seconds = error.retryAfter { json.member("retry_after", seconds) }
    }

    private static func describe(_ distribution: DelayDistribution, in json: inout JSONText) {
        switch distribution {
        case .fixed(let delay): json.member("fixed", DurationText.print(delay))
        case .uniform(let range):
            json.member("from", DurationText.print(range.lowerBound))
            json.member("to", DurationText.print(range.upperBound))
        case .longTail(let median, let p99):
            json.member("median", DurationText.print(median))
            json.member("p99", DurationText.print(p99))
        }
    }
}
