/// Text in the syntax of roff, in which manual pages are written.
enum RoffText {
    /// Escapes what roff would interpret. Hyphens become minus signs, which readers can copy into a command line.
    static func escape(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar -> String in
            switch scalar {
            case "\\": "\\(rs"
            case "-": "\\-"
            case "\"": "\\(dq"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\t": " "
            case _ where scalar.value < 0x7F: String(scalar)
            default: "\\[u\(hexadecimal(scalar))]"
            }
        }.joined()
        // At the beginning of a line a period would start a request.
        return escaped.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(".") ? "\\&\($0)" : String($0) }.joined(separator: "\n")
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    static func bold(_ text: String) -> String {
        "\\fB\(escape(text))\\fR"
    }

    /// Placeholders.
    static func italic(_ text: String) -> String {
        "\\fI\(escape(text))\\fR"
    }

    /// A term and its explanation.
    static func entry(_ term: String, meaning: String) -> String {
        ".TP\n\(term)\n\(escape(meaning))\n"
    }

    /// Paragraphs are separated by empty lines; one whose lines are indented keeps its line breaks.
    static func paragraphs(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let paragraphs = lines.split { $0.allSatisfy(\.isWhitespace) }
        return paragraphs.map { lines in
            let body = escape(lines.map { $0.drop(while: \.isWhitespace) }.joined(separator: "\n"))
            return lines.allSatisfy { $0.hasPrefix(" ") } ? ".PP\n.nf\n\(body)\n.fi\n" : ".PP\n\(body)\n"
        }.joined()
    }
}
