/// Writes JSON text, for the places that only ever print it (logs, problem answers, bench lines) and should not pull
/// Foundation into every executable for that.
package struct JSONText {
    private var text = ""
    private var needsComma = false

    package static func object(_ members: (inout JSONText) -> Void) -> String {
        var writer = JSONText()
        writer.text = "{"
        members(&writer)
        writer.text += "}"
        return writer.text
    }

    package mutating func member(_ name: String, _ value: String) {
        open(name)
        JSONText.quote(value, into: &text)
    }

    package mutating func member(_ name: String, _ value: Int) {
        open(name)
        text += String(value)
    }

    /// JSON has no infinities; they are written as null.
    package mutating func member(_ name: String, _ value: Double) {
        open(name)
        text += value.isFinite ? String(value) : "null"
    }

    package mutating func member(_ name: String, _ value: Bool) {
        open(name)
        text += value ? "true" : "false"
    }

    /// A value that is JSON text already.
    package mutating func member(_ name: String, json: String) {
        open(name)
        text += json
    }

    private mutating func open(_ name: String) {
        if needsComma { text += "," }
        needsComma = true
        JSONText.quote(name, into: &text)
        text += ":"
    }

    package static func array(_ elements: [String]) -> String {
        "[" + elements.map { quoted($0) }.joined(separator: ",") + "]"
    }

    /// A text as JSON writes it, with its quotation marks.
    package static func quoted(_ value: String) -> String {
        var text = ""
        quote(value, into: &text)
        return text
    }

    package static func quote(_ value: String, into text: inout String) {
        text += "\""
        text += escaped(value)
        text += "\""
    }

    /// A text as it stands between quotation marks.
    package static func escaped(_ value: String) -> String {
        // Nearly every text needs nothing escaped.
        guard value.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            return value
        }
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
