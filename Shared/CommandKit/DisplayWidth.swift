/// The number of columns that text takes on a terminal.
package enum DisplayWidth {
    /// Blocks of characters that take two columns, after Unicode's East Asian Width. Emoji are recognized by their
    /// properties.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]
    /// Requests the presentation of the preceding character as an emoji.
    private static let emojiSelector: UInt32 = 0xFE0F

    /// Escape sequences for styles take no columns.
    package static func of(_ text: String) -> Int {
        var columns = 0
        var rest = text[...]
        while let character = rest.popFirst() {
            if character == "\u{1B}" { skipSequence(&rest) } else { columns += of(character) }
        }
        return columns
    }

    /// The text, or its beginning and an ellipsis, in at most this many columns. It must contain no escape sequences.
    package static func clip(_ text: String, columns limit: Int) -> String {
        guard of(text) > limit else { return text }
        var columns = 0
        let head = text.prefix { character in
            columns += of(character)
            return columns < limit
        }
        return limit > 0 ? head + "…" : ""
    }

    private static func of(_ character: Character) -> Int {
        if let byte = character.asciiValue { return byte < 0x20 || byte == 0x7F ? 0 : 1 }
        return character.unicodeScalars.map(of).max() ?? 0
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.properties.isEmojiPresentation || scalar.value == emojiSelector { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
        }
    }

    /// What follows ESC: `[`, parameters, and a letter.
    private static func skipSequence(_ rest: inout Substring) {
        guard rest.first == "[" else { return }
        rest.removeFirst()
        while let character = rest.popFirst(), !character.isLetter {}
    }
}
