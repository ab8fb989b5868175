/// Reads a document in its order without building it: for documents that are too large to be held twice.
///
/// The caller enters the containers that it knows and passes over other values. Only what is passed is checked. Strings
/// are returned as the document has them: their UTF-8 is not checked, and only names are unescaped.
package struct JSONCursor {
    /// The kind of the next value, known from its first byte.
    package enum Kind: String, Sendable {
        case object = "an object"
        case array = "an array"
        case string = "a string"
        case number = "a number"
        /// `true`, `false` or `null`.
        case word = "a boolean or null"
    }

    /// The text between quotation marks.
    package struct Text: Sendable {
        package let bytes: ArraySlice<UInt8>
        package let hasEscapes: Bool
    }

    package static let depthMaximum = 24

    private let bytes: [UInt8]
    package private(set) var offset: Int
    private var depth = 0
    /// True until the container that was entered last has had a member or an element.
    private var isFirst = true

    package init(_ bytes: [UInt8], at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    package mutating func kind() throws(JSONError) -> Kind {
        switch try byte(expected: "a value") {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .word
        default: throw unexpected(expected: "a value")
        }
    }

    package mutating func enterObject() throws(JSONError) {
        try enter(UInt8(ascii: "{"), expected: "an object")
    }

    package mutating func enterArray() throws(JSONError) {
        try enter(UInt8(ascii: "["), expected: "an array")
    }

    /// The name of the next member, whose value follows; nil at the end of the object, which is left.
    package mutating func nextName() throws(JSONError) -> ArraySlice<UInt8>? {
        guard try goesOn(until: UInt8(ascii: "}")) else { return nil }
        guard try byte(expected: "a quoted name") == UInt8(ascii: "\"") else {
            throw unexpected(expected: "a quoted name")
        }
        let name = try text()
        let plain = name.hasEscapes ? try unescaped(name) : name.bytes
        guard try byte(expected: "a colon") == UInt8(ascii: ":") else { throw unexpected(expected: "a colon") }
        offset += 1
        return plain
    }

    /// True if an element follows; false at the end of the array, which is left.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try goesOn(until: UInt8(ascii: "]"))
    }

    /// The next value, which is a string.
    package mutating func text() throws(JSONError) -> Text {
        guard try byte(expected: "a string") == UInt8(ascii: "\"") else { throw unexpected(expected: "a string") }
        let start = offset
        offset += 1
        var hasEscapes = false
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                isFirst = false
                return Text(bytes: bytes[(start + 1)..<(offset - 1)], hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                offset += 2
            case 0x00..<0x20:
                throw fault("unescaped control character in a string; write it as an escape such as \\n")
            default: offset += 1
            }
        }
        offset = start
        throw fault("unterminated string")
    }

    /// Passes over the next value, of any kind, and returns its place.
    package mutating func skip() throws(JSONError) -> Range<Int> {
        let outside = depth
        let kind = try kind()
        let start = offset
        try skipStart(of: kind)
        // One bit for each open container: set for an object.
        var open: UInt64 = kind == .object ? 1 : 0
        while depth > outside {
            let isInObject = open & 1 == 1
            let goesOn = isInObject ? try nextName() != nil : try nextElement()
            guard goesOn else {
                open >>= 1
                continue
            }
            let kind = try self.kind()
            let before = depth
            try skipStart(of: kind)
            if depth > before { open = open << 1 | (kind == .object ? 1 : 0) }
        }
        return start..<offset
    }

    /// A value that was passed over.
    package func value(at place: Range<Int>, limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSON {
        do throws(JSONError) {
            return try JSON(Array(bytes[place]), limits: limits)
        } catch {
            throw JSONError(
                code: error.code, message: error.message, position: JSONPosition(of: place.lowerBound, in: bytes))
        }
    }

    /// The bytes of a text without its escapes.
    package func unescaped(_ text: Text) throws(JSONError) -> ArraySlice<UInt8> {
        guard text.hasEscapes else { return text.bytes }
        let quoted = (text.bytes.startIndex - 1)..<(text.bytes.endIndex + 1)
        return try value(at: quoted).text.map { ArraySlice($0.utf8) } ?? []
    }

    /// Throws if anything follows the document.
    package mutating func end() throws(JSONError) {
        skipWhitespace()
        guard offset == bytes.count else { throw unexpected(expected: "the end of the document") }
    }

    private mutating func enter(_ mark: UInt8, expected: String) throws(JSONError) {
        guard try byte(expected: expected) == mark else { throw unexpected(expected: expected) }
        guard depth < JSONCursor.depthMaximum else {
            throw fault("arrays and objects are nested deeper than \(JSONCursor.depthMaximum)", code: .tooDeep)
        }
        depth += 1
        offset += 1
        isFirst = true
    }

    /// Passes over a scalar, or enters a container.
    private mutating func skipStart(of kind: Kind) throws(JSONError) {
        switch kind {
        case .object: try enterObject()
        case .array: try enterArray()
        case .string: _ = try text()
        case .number, .word:
            let start = offset
            while offset < bytes.count, JSONCursor.isOfWord(bytes[offset]) { offset += 1 }
            guard (try? JSON(Array(bytes[start..<offset]))) != nil else {
                offset = start
                throw fault(kind == .number ? "invalid number" : "unexpected word; expected a value")
            }
            isFirst = false
        }
    }

    private mutating func goesOn(until end: UInt8) throws(JSONError) -> Bool {
        let isFirst = self.isFirst
        let next = end == UInt8(ascii: "]") ? "a comma or ]" : "a comma or }"
        let byte = try byte(expected: next)
        if byte == end {
            offset += 1
            depth -= 1
            self.isFirst = false
            return false
        }
        if isFirst { return true }
        guard byte == UInt8(ascii: ",") else { throw unexpected(expected: next) }
        offset += 1
        // A value has to follow a comma: kind(), text() and nextName() refuse the end of the container.
        return true
    }

    /// The next byte that is no whitespace.
    private mutating func byte(expected: String) throws(JSONError) -> UInt8 {
        skipWhitespace()
        guard offset < bytes.count else { throw fault("unexpected end of the document; expected \(expected)") }
        return bytes[offset]
    }

    private mutating func skipWhitespace() {
        while offset < bytes.count, JSONSyntax.isWhitespace(bytes[offset]) { offset += 1 }
    }

    /// Of a number, `true`, `false` or `null`.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || byte == UInt8(ascii: "E") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    private func unexpected(expected: String) -> JSONError {
        fault("\(JSONSyntax.name(of: offset, in: bytes)); expected \(expected)")
    }

    private func fault(_ message: String, code: JSONError.Code = .syntax) -> JSONError {
        JSONError(code: code, message: message, position: JSONPosition(of: min(offset, bytes.count), in: bytes))
    }
}
