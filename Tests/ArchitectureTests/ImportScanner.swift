/// Finds the modules that a Swift source imports, in every form of the language, ignoring comments and strings. Works on
/// bytes: the whole repository as characters would take ten seconds of every run of the tests.
struct ImportScanner {
    private static let declarationKinds: Set = [
        "actor", "class", "enum", "func", "let", "macro", "protocol", "struct", "typealias", "var",
    ]

    private let source: [UInt8]
    private var position = 0
    /// The source with every comment and string replaced by a blank.
    private var code: [UInt8] = []

    static func modules(in source: String) -> Set<String> {
        var scanner = ImportScanner(source: Array(source.utf8))
        scanner.scanCode(untilParenthesis: false)
        return modules(inCode: scanner.code)
    }

    private init(source: [UInt8]) {
        self.source = source
    }

    /// `import` is a keyword: in code it starts a declaration unless a dot, a backtick or a label makes it a name.
    private static func modules(inCode code: [UInt8]) -> Set<String> {
        let words = tokens(of: code)
        var modules: Set<String> = []
        for index in words.indices where words[index] == "import" {
            if index > 0, words[index - 1] == "." || words[index - 1] == "`" { continue }
            var next = index + 1
            if next + 1 < words.count, declarationKinds.contains(words[next]), isName(words[next + 1]) { next += 1 }
            if next < words.count, isName(words[next]) { modules.insert(words[next]) }
        }
        return modules
    }

    private static func tokens(of code: [UInt8]) -> [String] {
        var tokens: [String] = []
        var rest = code[...]
        while let first = rest.first {
            let word = rest.prefix { isNamePart($0) }
            let token = word.isEmpty ? rest.prefix(1) : word
            if !isBlank(first) { tokens.append(String(decoding: token, as: UTF8.self)) }
            rest = rest.dropFirst(token.count)
        }
        return tokens
    }

    private static func isName(_ token: String) -> Bool {
        token.utf8.first.map { isNamePart($0) && !isDigit($0) } ?? false
    }

    /// A byte of a letter beyond ASCII is part of a name.
    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), 0x80...:
            true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || 0x09...0x0D ~= byte }

    private static func isNewline(_ byte: UInt8) -> Bool { 0x0A...0x0D ~= byte }

    /// Copies code until the source ends, or until the parenthesis that closes an interpolation.
    private mutating func scanCode(untilParenthesis isInterpolation: Bool) {
        var depth = 1
        while position < source.count {
            if skip("//") {
                skipLine()
            } else if skip("/*") {
                skipBlockComment()
            } else if let pounds = stringStart() {
                scanString(pounds: pounds)
            } else {
                let byte = source[position]
                position += 1
                code.append(byte)
                if byte == UInt8(ascii: "(") { depth += 1 }
                if byte == UInt8(ascii: ")") { depth -= 1 }
                if isInterpolation && depth == 0 { return }
            }
        }
    }

    private mutating func skipLine() {
        while position < source.count, !ImportScanner.isNewline(source[position]) { position += 1 }
    }

    private mutating func skipBlockComment() {
        var depth = 1
        while position < source.count && depth > 0 {
            if skip("/*") {
                depth += 1
            } else if skip("*/") {
                depth -= 1
            } else {
                position += 1
            }
        }
        code.append(UInt8(ascii: " "))
    }

    /// The number of `#` before the quote of a string that starts here; nil if no string starts here.
    private func stringStart() -> Int? {
        var quote = position
        while quote < source.count, source[quote] == UInt8(ascii: "#") { quote += 1 }
        return quote < source.count && source[quote] == UInt8(ascii: "\"") ? quote - position : nil
    }

    private mutating func scanString(pounds: Int) {
        position += pounds
        let mark = String(repeating: "#", count: pounds)
        let isMultiline = skip("\"\"\"")
        if !isMultiline { position += 1 }
        let end = (isMultiline ? "\"\"\"" : "\"") + mark
        while position < source.count {
            // A quote that starts no string, as in a regular expression, affects one line at most.
            if !isMultiline && ImportScanner.isNewline(source[position]) { break }
            if skip(end) { break }
            if skip("\\" + mark) {
                if skip("(") {
                    scanCode(untilParenthesis: true)
                } else {
                    position += 1
                }
            } else {
                position += 1
            }
        }
        code.append(UInt8(ascii: " "))
    }

    private mutating func skip(_ text: String) -> Bool {
        guard position < source.count, source[position] == text.utf8.first,
            source[position...].starts(with: text.utf8)
        else { return false }
        position += text.utf8.count
        return true
    }
}
