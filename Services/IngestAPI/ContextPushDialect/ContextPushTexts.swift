import JSONKit
import ServiceKit
import TaskModel

/// The texts of a message, each one text for all devices or a text for each locale. Errors are added to the problems of
/// the fields.
struct ContextPushTexts {
    private static let names = ["title", "subtitle", "body"]
    private static let rule = "a string of 1 to \(LocalizedText.bytesMaximum) bytes"
    private static let localeRule =
        "a locale of 1 to \(LocalizedText.languageBytesMaximum) of the characters A-Z, a-z, 0-9, - and _, such as pt-BR"
    /// The name of the standard text where tasks are stored.
    private static let reservedLocale = "default"

    private enum Text {
        case plain(String)
        /// By locale in normalized spelling.
        case translated([String: String])
    }

    private let fields: JSONFields
    private var texts: [String: Text] = [:]
    /// In normalized spelling; empty if it is absent or invalid.
    private var defaultLocale = ""

    init(_ fields: JSONFields) {
        self.fields = fields
        for name in ContextPushTexts.names { texts[name] = read(name) }
        let given = fields.text(
            "default_locale", expected: ContextPushTexts.localeRule, isRequired: !locales.isEmpty
        ) { ContextPushTexts.isLocale($0) ? $0 : nil }
        defaultLocale = given.map { LocalizedText.spelling($0) } ?? ""
        checkLocales(given)
    }

    /// Nil without the field, and undefined if there are errors.
    func text(_ name: String) -> LocalizedText? {
        switch texts[name] {
        case .plain(let text): LocalizedText(text)
        case .translated(let translations): LocalizedText(translations[defaultLocale] ?? "", translations: translations)
        case nil: nil
        }
    }

    private func read(_ name: String) -> Text? {
        let maximum = LocalizedText.translationsMaximum
        return fields.value(
            name, expected: "\(ContextPushTexts.rule), or an object of 1 to \(maximum) of them by locale",
            isRequired: name != "subtitle"
        ) { value in
            switch value {
            case .string(let text): ContextPushTexts.isText(text) ? .plain(text) : nil
            case .object(let object) where 1...maximum ~= object.members.count:
                .translated(translations(object, of: name))
            default: nil
            }
        }
    }

    private func translations(_ object: JSONObject, of name: String) -> [String: String] {
        var translations: [String: String] = [:]
        for (locale, value) in object.members {
            let path = "\(name).\(OutsideText.excerpt(locale))"
            let spelling = LocalizedText.spelling(locale)
            if !ContextPushTexts.isLocale(locale) {
                fields.reject(path, message: "expected \(ContextPushTexts.localeRule)")
            } else if translations[spelling] != nil {
                fields.reject(path, message: "same locale as another; case and _ for - are ignored")
            } else if let text = value.text, ContextPushTexts.isText(text) {
                translations[spelling] = text
                continue
            } else {
                fields.reject(path, message: "expected \(ContextPushTexts.rule)")
            }
            // It is not reported as missing too.
            translations[spelling] = translations[spelling] ?? ""
        }
        return translations
    }

    /// All locales of any text.
    private var locales: Set<String> {
        texts.values.reduce(into: []) { locales, text in
            if case .translated(let translations) = text { locales.formUnion(translations.keys) }
        }
    }

    private func checkLocales(_ given: String?) {
        let all = locales.sorted()
        for name in ContextPushTexts.names {
            guard case .translated(let translations)? = texts[name] else { continue }
            for locale in all where translations[locale] == nil {
                fields.reject(
                    name, message: "no text for the locale \(locale); all translated fields need the same locales")
            }
        }
        guard let given, !all.isEmpty, !all.contains(defaultLocale) else { return }
        fields.reject(
            "default_locale", message: "no text for the locale \(given); choose one that the translated fields have")
    }

    private static func isText(_ text: String) -> Bool {
        1...LocalizedText.bytesMaximum ~= text.utf8.count
    }

    private static func isLocale(_ text: String) -> Bool {
        1...LocalizedText.languageBytesMaximum ~= text.utf8.count && LocalizedText.spelling(text) != reservedLocale
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-_".utf8.contains(byte)
            }
    }
}
