/// Writes XML with gaps, as `JSONText` does JSON.
struct XMLText {
    private var bytes = Array("<?xml version=\"1.0\" encoding=\"utf-8\"?>".utf8)
    /// Positions of the gaps, in order.
    private var cuts: [Int] = []

    private init() {}

    /// Writes a document and returns the pieces before, between and after its gaps.
    static func parts(_ write: (inout XMLText) -> Void) -> [[UInt8]] {
        var text = XMLText()
        write(&text)
        return zip([0] + text.cuts, text.cuts + [text.bytes.count]).map { Array(text.bytes[$0..<$1]) }
    }

    mutating func markup(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Escaped for the content of an element and for an attribute in either kind of quotation marks.
    mutating func text(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": bytes.append(contentsOf: "&amp;".utf8)
            case "<": bytes.append(contentsOf: "&lt;".utf8)
            case ">": bytes.append(contentsOf: "&gt;".utf8)
            case "\"": bytes.append(contentsOf: "&quot;".utf8)
            case "'": bytes.append(contentsOf: "&apos;".utf8)
            // Written as they are, a parser turns them into blanks in attributes, and "\r" into "\n" everywhere.
            case "\t", "\n", "\r": bytes.append(contentsOf: "&#\(scalar.value);".utf8)
            // XML has no form for them.
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": bytes.append(contentsOf: "\u{FFFD}".utf8)
            default: bytes.append(contentsOf: scalar.utf8)
            }
        }
    }

    /// Leaves a gap for a text that needs no escapes.
    mutating func gap() {
        cuts.append(bytes.count)
    }

    /// A text with the markup around it.
    mutating func text(_ text: String, between start: StaticString, and end: StaticString) {
        markup(start)
        self.text(text)
        markup(end)
    }
}
