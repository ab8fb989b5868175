package import JSONKit
import ServiceKit

extension AppleFields {
    package var json: JSON {
        var object = JSONObject()
        object["thread"] = thread.map { .string($0) }
        if isMutable { object["mutable_content"] = .bool(true) }
        if !attachments.isEmpty { object["attachments"] = .array(attachments.map(\.json)) }
        object["relevance"] = relevance.map { .number($0) }
        object["interruption_level"] = interruption.map { .string($0.rawValue) }
        object["time_to_live"] = timeToLive.map { .string(DurationText.print($0)) }
        object["collapse_id"] = collapseID.map { .string($0) }
        return .object(object)
    }

    package init(_ fields: JSONFields) {
        thread = fields.text("thread")
        isMutable = fields.bool("mutable_content") ?? false
        attachments = fields.elements("attachments", countMaximum: AppleFields.attachmentsMaximum).compactMap {
            $0.fields.flatMap { Attachment($0) }
        }
        relevance = fields.number("relevance", in: AppleFields.relevanceAllowed, expected: "a number from 0 to 1")
        let levels = InterruptionLevel.allCases.map(\.rawValue).joined(separator: ", ")
        interruption = fields.text("interruption_level", expected: "one of \(levels)") {
            InterruptionLevel(rawValue: $0)
        }
        timeToLive = fields.timeToLive("time_to_live")
        collapseID = fields.collapseID("collapse_id")
        fields.rejectUnknown()
    }
}

extension AppleFields.Attachment {
    package var json: JSON {
        var object = JSONObject([("id", .string(id)), ("url", .string(url))])
        object["type"] = type.map { .string($0) }
        return .object(object)
    }

    fileprivate init?(_ fields: JSONFields) {
        let id = fields.text("id", bytesMaximum: 256, isRequired: true)
        let url = fields.text("url", bytesMaximum: WebAddress.bytesMaximum, isRequired: true)
        let type = fields.text("type", bytesMaximum: 256)
        fields.rejectUnknown()
        guard let id, let url else { return nil }
        self.init(id: id, url: url, type: type)
    }
}
