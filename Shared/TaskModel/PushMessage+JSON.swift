package import JSONKit
import ServiceKit

extension PushMessage {
    package static let dataMembersMaximum = 256

    package var json: JSON {
        var object = JSONObject()
        object["title"] = title?.json
        object["subtitle"] = subtitle?.json
        object["body"] = body?.json
        if !data.members.isEmpty { object["data"] = .object(data) }
        switch badge {
        case .set(let count): object["badge"] = .integer(Int64(count))
        case .increment: object["badge"] = .string("increment")
        case nil: break
        }
        object["sound"] = sound.map { .string($0) }
        object["image"] = image.map { .string($0) }
        object["url"] = url.map { .string($0) }
        object["category"] = category.map { .string($0) }
        if isSilent { object["silent"] = .bool(true) }
        object["android"] = android?.json
        object["ios"] = apple?.json
        return .object(object)
    }

    /// Format of publishers; errors are added to the problems of the fields. Stored tasks are read with the same code,
    /// so stricter rules for new tasks do not belong here.
    package init(_ fields: JSONFields) {
        title = fields.localizedText("title")
        subtitle = fields.localizedText("subtitle")
        body = fields.localizedText("body")
        data =
            fields.value("data", expected: "an object of at most \(PushMessage.dataMembersMaximum) members") { value in
                value.object.flatMap { $0.members.count <= PushMessage.dataMembersMaximum ? $0 : nil }
            } ?? JSONObject()
        badge = fields.value("badge", expected: "\"increment\" or an integer from 0 to 999999999") { value in
            switch value {
            case .string("increment"): .increment
            case .integer(let count) where (0...999_999_999).contains(count): .set(UInt32(count))
            default: nil
            }
        }
        sound = fields.text("sound")
        image = fields.text("image", bytesMaximum: WebAddress.bytesMaximum)
        url = fields.text("url", bytesMaximum: WebAddress.bytesMaximum)
        category = fields.text("category")
        isSilent = fields.bool("silent") ?? false
        android = fields.object("android").map { AndroidFields($0) }
        apple = fields.object("ios").map { AppleFields($0) }
        fields.rejectUnknown()
    }
}

extension LocalizedText {
    /// Length of the standard text and of each translation.
    package static let bytesMaximum = 4_096
    package static let translationsMaximum = 128
    /// Same as the limit of a device's language.
    package static let languageBytesMaximum = 64

    /// A string, or an object with one string per language and `default`.
    package var json: JSON {
        guard !translations.isEmpty else { return .string(standard) }
        var object = JSONObject([("default", .string(standard))])
        for (language, text) in translations.sorted(by: { $0.key < $1.key }) { object[language] = .string(text) }
        return .object(object)
    }
}

extension JSONFields {
    fileprivate func localizedText(_ name: String) -> LocalizedText? {
        let expected =
            "a string of at most \(LocalizedText.bytesMaximum) bytes, or an object of them by language with \"default\""
        return value(name, expected: expected) { value in
            switch value {
            case .string(let text): text.utf8.count <= LocalizedText.bytesMaximum ? LocalizedText(text) : nil
            case .object(let object):
                LocalizedText(object) { reject("\(name).\(OutsideText.excerpt($0))", message: $1) }
            default: nil
            }
        }
    }
}

extension LocalizedText {
    /// `reject` is called for each invalid language name.
    fileprivate init?(_ object: JSONObject, reject: (_ language: String, _ message: String) -> Void) {
        guard object.members.count <= LocalizedText.translationsMaximum else { return nil }
        var texts: [String: String] = [:]
        var spellings: [String: String] = [:]
        for (language, value) in object.members where value != .null {
            guard let text = value.text, text.utf8.count <= LocalizedText.bytesMaximum else { return nil }
            guard 1...LocalizedText.languageBytesMaximum ~= language.utf8.count else {
                let limit = LocalizedText.languageBytesMaximum
                reject(language, "expected a language of 1 to \(limit) bytes, such as pt-BR")
                continue
            }
            let canonical = LocalizedText.spelling(language)
            if canonical == "default", language != canonical {
                reject(language, "expected the spelling default")
            } else if let earlier = spellings.updateValue(language, forKey: canonical) {
                let other = OutsideText.excerpt(earlier)
                reject(language, "same language as \(other); case and _ for - are ignored")
            }
            texts[canonical] = text
        }
        guard let standard = texts.removeValue(forKey: "default") else { return nil }
        self.init(standard, translations: texts)
    }
}
