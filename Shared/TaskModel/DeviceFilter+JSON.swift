import JSONKit
import PushModel
import ServiceKit

extension DeviceFilter {
    /// The names of all filters, in the format of publishers: `{"platform":"ios"}`.
    static let names = ["platform", "language", "app_version", "seen", "registered", "time_zone", "user"]

    var name: String {
        switch self {
        case .platform: "platform"
        case .language: "language"
        case .appVersion: "app_version"
        case .seen: "seen"
        case .registered: "registered"
        case .timeZone: "time_zone"
        case .user: "user"
        }
    }

    var json: JSON {
        switch self {
        case .platform(let platform): .string(platform.rawValue)
        case .language(let range): .string(range.text)
        case .appVersion(let range): range.json
        case .seen(let range), .registered(let range): range.json
        case .timeZone(let pattern): .string(pattern.text)
        case .user(let isWanted): .bool(isWanted)
        }
    }

    /// Nil if it is absent or invalid; errors are added to the problems of the fields.
    init?(_ fields: JSONFields, named name: String) {
        let filter: DeviceFilter? =
            switch name {
            case "platform": DeviceFilter.platform(fields)
            case "language":
                fields.text(name, expected: "a language such as fr or pt-BR") { try? LanguageRange($0) }
                    .map { .language($0) }
            case "app_version": fields.object(name).flatMap { AppVersionRange($0) }.map { .appVersion($0) }
            case "seen": fields.object(name).flatMap { TimeRange($0) }.map { .seen($0) }
            case "registered": fields.object(name).flatMap { TimeRange($0) }.map { .registered($0) }
            case "time_zone":
                fields.text(name, expected: "a time zone such as Europe/Berlin, or the start of some: Europe/*") {
                    try? TimeZonePattern($0)
                }.map { .timeZone($0) }
            case "user": fields.bool(name).map { .user($0) }
            default: nil
            }
        guard let filter else { return nil }
        self = filter
    }

    private static func platform(_ fields: JSONFields) -> DeviceFilter? {
        let names = Platform.allCases.map(\.rawValue).joined(separator: ", ")
        return fields.text("platform", expected: "one of \(names)") { Platform(rawValue: $0) }.map { .platform($0) }
    }
}

extension AppVersionRange {
    fileprivate var json: JSON {
        var object = JSONObject()
        object["from"] = from.map { .string("\($0)") }
        object["below"] = below.map { .string("\($0)") }
        return .object(object)
    }

    fileprivate init?(_ fields: JSONFields) {
        let expected = "a version such as 2.10.1"
        let from = fields.text("from", expected: expected) { AppVersion($0.utf8) }
        let below = fields.text("below", expected: expected) { AppVersion($0.utf8) }
        fields.rejectUnknown()
        guard fields.areGood(["from", "below"], values: [from != nil, below != nil]) else { return nil }
        do throws(InvalidValueError) {
            try self.init(from: from, below: below)
        } catch {
            fields.problems.add(fields.path, message: error.description)
            return nil
        }
    }
}

extension TimeRange {
    fileprivate var json: JSON {
        var object = JSONObject()
        switch since {
        case .time(let time): object["since"] = .string("\(time)")
        case .ago(let age): object["within"] = .string(DurationText.print(age))
        case nil: break
        }
        object["before"] = before.map { .string("\($0)") }
        return .object(object)
    }

    fileprivate init?(_ fields: JSONFields) {
        let expected = "a time with a zone, such as 2026-12-24T18:00:00Z"
        let since = fields.text("since", expected: expected) { Timestamp(rfc3339: $0) }
        let before = fields.text("before", expected: expected) { Timestamp(rfc3339: $0) }
        let age = fields.text("within", expected: "a duration from 1m to 3650d, such as 30d") { text in
            DurationText.parse(text).flatMap { TimeRange.durations ~= $0 ? $0 : nil }
        }
        fields.rejectUnknown()
        if since != nil, age != nil {
            fields.reject("within", message: "cannot be combined with since; remove one of them")
            return nil
        }
        let given = [since != nil, before != nil, age != nil]
        guard fields.areGood(["since", "before", "within"], values: given) else { return nil }
        do throws(InvalidValueError) {
            try self.init(since: since.map { .time($0) } ?? age.map { .ago($0) }, before: before)
        } catch {
            fields.problems.add(fields.path, message: error.description)
            return nil
        }
    }
}

extension JSONFields {
    /// False if a name is present whose value was not read.
    fileprivate func areGood(_ names: [String], values: [Bool]) -> Bool {
        zip(names, values).allSatisfy { has($0) == $1 }
    }
}
