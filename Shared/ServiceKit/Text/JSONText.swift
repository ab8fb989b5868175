/// Writes JSON for code that only prints it (logs, problem responses, payloads) and should not pull Foundation into
/// every executable. It collects bytes, since appending to a `String` costs several times as much.
package struct JSONText {
    private var bytes: [UInt8] = []
    private var needsComma = false
    /// Positions of the gaps, in order.
    private var cuts: [Int] = []

    private init(_ members: (inout JSONText) -> Void) {
        bytes.reserveCapacity(256)
        writeObject(members)
    }

    package static func object(_ members: (inout JSONText) -> Void) -> String {
        String(decoding: JSONText(members).bytes, as: UTF8.self)
    }

    /// Writes an object with gaps and returns the pieces before, between and after them.
    package static func parts(_ members: (inout JSONText) -> Void) -> [[UInt8]] {
        let text = JSONText(members)
        let starts = [0] + text.cuts
        return zip(starts, text.cuts + [text.bytes.count]).map { Array(text.bytes[$0..<$1]) }
    }

    /// Number of bytes written so far.
    package var byteCount: Int { bytes.count }

    package mutating func member(_ name: String, _ value: String) {
        open(name)
        JSONText.quote(value, into: &bytes)
    }

    package mutating func member(_ name: String, _ value: Int) {
        member(name, json: String(value))
    }

    /// JSON has no infinities; they become null.
    package mutating func member(_ name: String, _ value: Double) {
        member(name, json: value.isFinite ? String(value) : "null")
    }

    package mutating func member(_ name: String, _ value: Bool) {
        member(name, json: value ? "true" : "false")
    }

    /// Adds a value that is already JSON text.
    package mutating func member(_ name: String, json: String) {
        open(name)
        bytes.append(contentsOf: json.utf8)
    }

    /// Adds a value that is already JSON text.
    package mutating func member(_ name: String, json: [UInt8]) {
        open(name)
        bytes.append(contentsOf: json)
    }

    package mutating func member(_ name: String, object members: (inout JSONText) -> Void) {
        open(name)
        writeObject(members)
    }

    /// Leaves a gap for a number.
    package mutating func gap(_ name: String) {
        open(name)
        cuts.append(bytes.count)
    }

    /// Leaves a gap for escaped texts: one text, or a list's texts with the punctuation between them.
    package mutating func gap(_ name: String, between start: StaticString, and end: StaticString) {
        open(name)
        start.withUTF8Buffer { bytes.append(contentsOf: $0) }
        cuts.append(bytes.count)
        end.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Leaves a gap within a text, for a text that needs no escapes.
    package mutating func gap(_ name: String, inText start: String, and end: String) {
        open(name)
        bytes.append(UInt8(ascii: "\""))
        JSONText.escape(start, into: &bytes)
        cuts.append(bytes.count)
        JSONText.escape(end, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func writeObject(_ members: (inout JSONText) -> Void) {
        needsComma = false
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
        needsComma = true
    }

    private mutating func open(_ name: String) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
        JSONText.quote(name, into: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    package static func array(_ elements: [String]) -> String {
        "[" + elements.map { quoted($0) }.joined(separator: ",") + "]"
    }

    /// The text as a JSON string, with quotation marks.
    package static func quoted(_ value: String) -> String {
        var bytes: [UInt8] = []
        quote(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func quote(_ value: String, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        escape(value, into: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// The text as a JSON string, without quotation marks.
    package static func escaped(_ value: String) -> String {
        var bytes: [UInt8] = []
        escape(value, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func escape(_ value: String, into bytes: inout [UInt8]) {
        var value = value
        value.withUTF8 { text in
            var clean = 0
            for place in text.indices where needsEscape(text[place]) {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[clean..<place]))
                appendEscape(of: text[place], to: &bytes)
                clean = place + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[clean...]))
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            bytes.append(contentsOf: "u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        default: bytes.append(byte)
        }
    }
}
