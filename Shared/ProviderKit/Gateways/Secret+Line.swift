package import ServiceKit

extension Secret {
    /// The only line of a file, without blanks at its end. Nil if it is empty or not text.
    package init?(line content: [UInt8]) {
        self.init(content) { $0.isWhitespace }
    }

    /// The text of a file without its final line breaks. Nil if it is empty or not text.
    package init?(text content: [UInt8]) {
        self.init(content) { $0.isNewline }
    }

    private init?(_ content: [UInt8], droppingLast isDropped: (Character) -> Bool) {
        guard var text = OutsideText.string(content) else { return nil }
        while let last = text.last, isDropped(last) { text.removeLast() }
        guard !text.isEmpty else { return nil }
        self.init(text)
    }
}
