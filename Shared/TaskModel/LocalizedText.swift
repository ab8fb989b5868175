import JSONKit

/// A text in several languages, with a default for all others.
package struct LocalizedText: Hashable, Sendable {
    package let standard: String
    /// By language, such as `pt-BR` or `fr`, in normalized spelling: `_` counts as `-`, and case is ignored.
    package let translations: [String: String]

    package init(_ standard: String, translations: [String: String] = [:]) {
        self.standard = standard
        self.translations = Dictionary(
            translations.map { (LocalizedText.spelling($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// The text of the exact locale, of its language alone, or the standard text, in this order.
    package func text(for language: String?) -> String {
        guard let language, !translations.isEmpty else { return standard }
        let exact = LocalizedText.spelling(language)
        let plain = String(exact.prefix { $0 != "-" })
        return translations[exact] ?? translations[plain] ?? standard
    }

    package static func spelling(_ language: String) -> String {
        let lowercased = language.lowercased()
        // For each device whose language is read: `replacing` costs a microsecond also where it finds nothing.
        guard lowercased.utf8.contains(UInt8(ascii: "_")) else { return lowercased }
        return lowercased.replacing("_", with: "-")
    }
}
