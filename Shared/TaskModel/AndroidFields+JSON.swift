package import JSONKit
import ServiceKit

extension AndroidFields {
    package var json: JSON {
        var object = JSONObject()
        object["channel"] = channel.map { .string($0) }
        object["priority"] = importance.map { .integer(Int64($0)) }
        if !vibration.isEmpty { object["vibration"] = .array(vibration.map { .integer(Int64($0)) }) }
        object["light"] = light?.json
        object["visibility"] = visibility.map { .string($0.rawValue) }
        object["icon"] = icon.map { .string($0) }
        object["color"] = color.map { .string($0.text) }
        object["banner"] = banner.map { .string($0) }
        object["tag"] = tag.map { .string($0) }
        object["time_to_live"] = timeToLive.map { .string(DurationText.print($0)) }
        object["urgency"] = priority.map { .string($0.rawValue) }
        object["collapse_id"] = collapseID.map { .string($0) }
        return .object(object)
    }

    package init(_ fields: JSONFields) {
        channel = fields.text("channel")
        importance = fields.integer("priority", in: AndroidFields.importanceAllowed)
        let allowed = AndroidFields.millisecondsAllowed
        vibration = fields.elements("vibration", countMaximum: AndroidFields.vibrationCountMaximum).compactMap {
            $0.value(expected: "milliseconds from \(allowed.lowerBound) to \(allowed.upperBound)") { value in
                guard case .integer(let number) = value else { return nil }
                return Int(exactly: number).flatMap { allowed.contains($0) ? $0 : nil }
            }
        }
        light = fields.object("light").map { Light($0) }
        visibility = fields.text("visibility", expected: "public, private or secret") { Visibility(rawValue: $0) }
        icon = fields.text("icon")
        color = fields.color("color")
        banner = fields.text("banner", bytesMaximum: WebAddress.bytesMaximum)
        tag = fields.text("tag")
        timeToLive = fields.timeToLive("time_to_live")
        priority = fields.text("urgency", expected: "high or normal") { TaskOptions.Priority(rawValue: $0) }
        collapseID = fields.collapseID("collapse_id")
        fields.rejectUnknown()
    }
}

extension AndroidFields.Light {
    fileprivate var json: JSON {
        .object(
            JSONObject([
                ("color", .string(color.text)), ("on_ms", .integer(Int64(onMilliseconds))),
                ("off_ms", .integer(Int64(offMilliseconds))),
            ]))
    }

    fileprivate init(_ fields: JSONFields) {
        self.init()
        let allowed = AndroidFields.millisecondsAllowed
        color = fields.color("color") ?? color
        onMilliseconds = fields.integer("on_ms", in: allowed) ?? onMilliseconds
        offMilliseconds = fields.integer("off_ms", in: allowed) ?? offMilliseconds
        fields.rejectUnknown()
    }
}

extension JSONFields {
    fileprivate func color(_ name: String) -> HexColor? {
        text(name, expected: "a color such as #FF8000, or #80FF8000 with its opacity") { HexColor($0) }
    }
}
