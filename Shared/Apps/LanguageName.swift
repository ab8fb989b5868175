import ServiceKit

/// Checks the syntax of BCP 47, not its registry: `en`, `pt-BR`, `zh-Hant-TW`; an underscore counts as a hyphen.
enum LanguageName {
    static func isPossible(_ text: String) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard let language = parts.first, 2...3 ~= language.utf8.count, parts.count <= 4 else { return false }
        return parts.allSatisfy { part in
            2...8 ~= part.utf8.count && part.utf8.allSatisfy(\.isASCIILetterOrDigit)
        }
    }
}
