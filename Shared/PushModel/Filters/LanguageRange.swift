import ServiceKit

/// A language with all its regions: `pt` contains `pt`, `pt-BR` and `pt_PT`.
package struct LanguageRange: Hashable, Sendable {
    package let text: String
    private let folded: [UInt8]

    package init(_ text: String) throws(InvalidValueError) {
        guard 2...35 ~= text.utf8.count,
            text.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
        else { throw InvalidValueError("expected a language such as fr or pt-BR") }
        self.text = text
        folded = text.utf8.map(LanguageRange.fold)
    }

    func contains(_ language: ArraySlice<UInt8>) -> Bool {
        guard language.count >= folded.count, zip(language, folded).allSatisfy({ LanguageRange.fold($0) == $1 }) else {
            return false
        }
        return language.count == folded.count
            || LanguageRange.fold(language[language.startIndex + folded.count]) == UInt8(ascii: "-")
    }

    /// Neither case nor the separator makes a difference.
    private static func fold(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "_"): UInt8(ascii: "-")
        default: byte
        }
    }

    package static func == (left: LanguageRange, right: LanguageRange) -> Bool { left.folded == right.folded }

    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
