import ServiceKit

/// Finds the position of the error in a refused document, which simdjson does not report, or of a string that is
/// refused. Reads the document once, without recursion.
struct JSONSyntax {
    private enum Expected: String {
        case value = "a value"
        case elementOrEnd = "a value or ]"
        case name = "a quoted name"
        case memberOrEnd = "a quoted name or }"
        case colon = "a colon"
        case commaOrBracket = "a comma or ]"
        case commaOrBrace = "a comma or }"
        case nothing = "the end of the document"
    }

    private enum Container {
        case array
        case object
    }

    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var offset = 0
    private var open: [Container] = []

    private init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Nil if the document is valid.
    static func error(in bytes: [UInt8], _ limits: JSONLimits) -> JSONError? {
        if let offset = firstInvalidUTF8(in: bytes) {
            return JSONError(
                code: .invalidUTF8, message: "invalid UTF-8",
                position: JSONPosition(of: offset, in: bytes))
        }
        var syntax = JSONSyntax(bytes, limits: limits)
        do throws(JSONError) {
            try syntax.read()
            return nil
        } catch {
            return error
        }
    }

    private static func firstInvalidUTF8(in bytes: [UInt8]) -> Int? {
        var decoder = UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .error: return offset
            case .emptyInput: return nil
            }
        }
    }

    private mutating func read() throws(JSONError) {
        var expected = Expected.value
        while true {
            while offset < bytes.count, JSONSyntax.isWhitespace(bytes[offset]) { offset += 1 }
            guard offset < bytes.count else {
                if expected == .nothing { return }
                throw fault("unexpected end of the document; expected \(expected.rawValue)")
            }
            expected = try step(expected, byte: bytes[offset])
        }
    }

    private mutating func step(_ expected: Expected, byte: UInt8) throws(JSONError) -> Expected {
        switch (expected, Character(Unicode.Scalar(byte))) {
        case (.elementOrEnd, "]"), (.commaOrBracket, "]"), (.memberOrEnd, "}"), (.commaOrBrace, "}"):
            offset += 1
            open.removeLast()
            return afterValue
        case (.commaOrBracket, ","), (.colon, ":"):
            offset += 1
            return .value
        case (.commaOrBrace, ","):
            offset += 1
            return .name
        case (.name, "\""), (.memberOrEnd, "\""):
            try passString(isName: true)
            return .colon
        case (.value, _), (.elementOrEnd, _): return try passValue(byte, instead: expected)
        default: throw fault("\(found); expected \(expected.rawValue)")
        }
    }

    private var afterValue: Expected {
        switch open.last {
        case .array: .commaOrBracket
        case .object: .commaOrBrace
        case nil: .nothing
        }
    }

    private mutating func passValue(_ byte: UInt8, instead expected: Expected) throws(JSONError) -> Expected {
        switch Character(Unicode.Scalar(byte)) {
        case "[": return try enter(.array, next: .elementOrEnd)
        case "{": return try enter(.object, next: .memberOrEnd)
        case "\"": try passString(isName: false)
        case "-", "0"..."9": try passNumber()
        default:
            guard let word = ["true", "false", "null"].first(where: { bytes[offset...].starts(with: $0.utf8) }) else {
                throw fault("\(found); expected \(expected.rawValue)")
            }
            offset += word.utf8.count
        }
        return afterValue
    }

    private mutating func enter(_ container: Container, next: Expected) throws(JSONError) -> Expected {
        guard open.count < limits.depthMaximum else {
            throw fault("arrays and objects are nested deeper than \(limits.depthMaximum)", code: .tooDeep)
        }
        open.append(container)
        offset += 1
        return next
    }

    private mutating func passString(isName: Bool) throws(JSONError) {
        let start = offset
        offset += 1
        var text = UnescapedText()
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                try check(&text, from: start, isName: isName)
                offset += 1
                return
            case UInt8(ascii: "\\"): try passEscape(into: &text)
            case 0x00..<0x20: throw fault("unescaped control character in a string; write it as an escape such as \\n")
            default:
                text.append(bytes[offset])
                offset += 1
            }
        }
        offset = start
        throw fault("unterminated string")
    }

    private mutating func check(_ text: inout UnescapedText, from start: Int, isName: Bool) throws(JSONError) {
        if isName, text.count > limits.nameBytesMaximum {
            offset = start
            throw fault("a name has more than \(limits.nameBytesMaximum) bytes", code: .nameTooLong)
        }
        guard text.isStreamSafe() else {
            offset = start
            throw fault(
                "a string has more than \(OutsideText.combiningMarksMaximum) combining marks in a row",
                code: .tooManyMarks)
        }
    }

    private mutating func passEscape(into text: inout UnescapedText) throws(JSONError) {
        let escape = offset + 1 < bytes.count ? bytes[offset + 1] : 0
        if let byte = JSONSyntax.unescaped(escape) {
            text.append(byte)
            offset += 2
            return
        }
        guard let unit = codeUnit(at: offset) else {
            throw fault("invalid escape; write a backslash as \\\\")
        }
        var units = [unit]
        if 0xD800..<0xDC00 ~= unit, let second = codeUnit(at: offset + 6) { units.append(second) }
        guard let scalar = JSONSyntax.scalar(units) else { throw fault("unpaired surrogate") }
        UTF8.encode(scalar)?.forEach { text.append($0) }
        offset += 6 * units.count
    }

    private static func unescaped(_ escape: UInt8) -> UInt8? {
        switch Character(Unicode.Scalar(escape)) {
        case "\"", "\\", "/": escape
        case "b": 0x08
        case "f": 0x0C
        case "n": 0x0A
        case "r": 0x0D
        case "t": 0x09
        default: nil
        }
    }

    /// The scalar of one code unit or of a surrogate pair.
    private static func scalar(_ units: [UInt16]) -> Unicode.Scalar? {
        guard units.count == 2 else { return Unicode.Scalar(units[0]) }
        guard 0xDC00..<0xE000 ~= units[1] else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(units[0]) - 0xD800) << 10 + UInt32(units[1]) - 0xDC00)
    }

    /// The value of the `\u0000` escape at an offset.
    private func codeUnit(at start: Int) -> UInt16? {
        guard start + 6 <= bytes.count, bytes[start...].starts(with: "\\u".utf8) else { return nil }
        let digits = bytes[(start + 2)..<(start + 6)]
        guard digits.allSatisfy(\.isHexDigit) else { return nil }
        return OutsideText.string(digits).flatMap { UInt16($0, radix: 16) }
    }

    private mutating func passNumber() throws(JSONError) {
        let start = offset
        let run = bytes[start...].prefix { "+-.eE".utf8.contains($0) || $0.isASCIIDigit }
        guard JSONSyntax.isNumber(run), let text = OutsideText.string(run) else {
            throw fault("invalid number")
        }
        let isWhole = !run.contains { ".eE".utf8.contains($0) }
        let fits = isWhole ? Int64(text) != nil || UInt64(text) != nil : Double(text)?.isFinite == true
        guard fits else { throw fault("number out of range") }
        offset = run.endIndex
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        var rest = text
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = popDigits(&rest)
        guard whole == 1 || (whole > 1 && text[rest.startIndex - whole] != UInt8(ascii: "0")) else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard popDigits(&rest) > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard popDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func popDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let count = rest.prefix(while: \.isASCIIDigit).count
        rest.removeFirst(count)
        return count
    }

    private var found: String { JSONSyntax.name(of: offset, in: bytes) }

    /// An unexpected byte, for error messages.
    static func name(of offset: Int, in bytes: [UInt8]) -> String {
        let byte = bytes[offset]
        if bytes[offset...].starts(with: [0xEF, 0xBB, 0xBF]) { return "unexpected byte order mark" }
        return 0x21..<0x7F ~= byte ? "unexpected '\(Character(Unicode.Scalar(byte)))'" : "unexpected character"
    }

    static func isWhitespace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    private func fault(_ message: String, code: JSONError.Code = .syntax) -> JSONError {
        JSONError(code: code, message: message, position: JSONPosition(of: offset, in: bytes))
    }
}
