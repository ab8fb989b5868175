import JSONKit
import ServiceKit
import TaskModel

/// A text of a notification: one for all devices, or one for each language.
struct PushwooshText {
    private static let rule =
        "a string of at most \(LocalizedText.bytesMaximum) bytes, or an object of 1 to "
        + "\(LocalizedText.translationsMaximum) of them by language"
    /// The name of the standard text where tasks are stored.
    private static let reservedLanguage = "default"

    /// That of devices whose language has no text.
    let standard: String
    private let translations: [String: String]

    /// Nil if the field is absent or empty; errors are added to the problems of the fields. `language` is that of the
    /// app.
    init?(_ name: String, in fields: JSONFields, language: String?) {
        let given = fields.value(name, expected: PushwooshText.rule) { value -> [String: String]? in
            switch value {
            case .string(let text) where text.utf8.count <= LocalizedText.bytesMaximum:
                [PushwooshText.reservedLanguage: text]
            case .object(let object): PushwooshText.translations(object)
            default: nil
            }
        }
        guard var texts = given else { return nil }
        let order = [PushwooshText.reservedLanguage, language.map { LocalizedText.spelling($0) }, "en"]
        let first = order.compactMap { $0.flatMap { texts[$0] } }.first ?? texts.min { $0.key < $1.key }?.value
        guard let first, !first.isEmpty else { return nil }
        standard = first
        texts[PushwooshText.reservedLanguage] = nil
        translations = texts
    }

    /// `name` is that of a variable: Pushwoosh knows no variables of ours, so what looks like one is passed on as the
    /// value of one.
    func localized(_ name: String, variables: inout [String: String]) -> LocalizedText {
        var literals: [String: String] = [:]
        for (language, text) in translations {
            literals[language] = PushwooshText.literal(text, variable: "\(name).\(language)", in: &variables)
        }
        let standard = PushwooshText.literal(standard, variable: name, in: &variables)
        return LocalizedText(standard, translations: literals)
    }

    private static func literal(_ text: String, variable: String, in variables: inout [String: String]) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        variables[variable] = text
        return "${var.\(variable)}"
    }

    private static func translations(_ object: JSONObject) -> [String: String]? {
        guard 1...LocalizedText.translationsMaximum ~= object.members.count else { return nil }
        var texts: [String: String] = [:]
        for (language, value) in object.members {
            guard isLanguage(language), let text = value.text, 1...LocalizedText.bytesMaximum ~= text.utf8.count else {
                return nil
            }
            texts[LocalizedText.spelling(language)] = text
        }
        return texts
    }

    private static func isLanguage(_ text: String) -> Bool {
        1...LocalizedText.languageBytesMaximum ~= text.utf8.count
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
    }
}
