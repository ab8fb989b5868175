import JSONKit

/// A text in several languages, with one for everybody else.
package struct LocalizedText: Hashable, Sendable {
    package let standard: String
    /// By language, such as `pt-BR` or `fr`, in the spelling of devices: `_` counts as `-`, and case does not count.
    package let translations: [String: String]

    package init(_ standard: String, translations: [String: String] = [:]) {
        self.standard = standard
        self.translations = Dictionary(
            translations.map { (LocalizedText.spelling($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The exact locale, else its language alone, else the standard text.
    package func text(for language: String?) -> String {
        guard let language, !translations.isEmpty else { return standard }
        let exact = LocalizedText.spelling(language)
        let plain = String(exact.prefix { $0 != "-" })
        return translations[exact] ?? translations[plain] ?? standard
    }

    package static func spelling(_ language: String) -> String {
        language.lowercased().replacing("_", with: "-")
    }
}
