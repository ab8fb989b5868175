/// Finds the modules that a Swift source imports, in every form of the language, ignoring comments and strings.
struct ImportScanner {
    private static let declarationKinds: Set = [
        "actor", "class", "enum", "func", "let", "macro", "protocol", "struct", "typealias", "var",
    ]

    private let source: [Character]
    private var position = 0
    /// The source with every comment and string replaced by a blank.
    private var code = ""

    static func modules(in source: String) -> Set<String> {
        var scanner = ImportScanner(source: Array(source))
        scanner.scanCode(untilParenthesis: false)
        return modules(inCode: scanner.code)
    }

    private init(source: [Character]) {
        self.source = source
    }

    /// `import` is a keyword: in code it starts a declaration unless a dot, a backtick or a label makes it a name.
    private static func modules(inCode code: String) -> Set<String> {
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

    private static func tokens(of code: String) -> [String] {
        var tokens: [String] = []
        var word = ""
        for character in code {
            if isNamePart(character) {
                word.append(character)
                continue
            }
            if !word.isEmpty { tokens.append(word) }
            word = ""
            if !character.isWhitespace { tokens.append(String(character)) }
        }
        if !word.isEmpty { tokens.append(word) }
        return tokens
    }

    private static func isName(_ token: String) -> Bool {
        token.first.map { isNamePart($0) && !$0.isNumber } ?? false
    }

    private static func isNamePart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

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
                let character = source[position]
                position += 1
                code.append(character)
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                if isInterpolation && depth == 0 { return }
            }
        }
    }

    private mutating func skipLine() {
        while position < source.count, !source[position].isNewline { position += 1 }
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
        code.append(" ")
    }

    /// The number of `#` before the quote of a string that starts here; nil if no string starts here.
    private func stringStart() -> Int? {
        var quote = position
        while quote < source.count, source[quote] == "#" { quote += 1 }
        return quote < source.count && source[quote] == "\"" ? quote - position : nil
    }

    private mutating func scanString(pounds: Int) {
        position += pounds
        let mark = String(repeating: "#", count: pounds)
        let isMultiline = skip("\"\"\"")
        if !isMultiline { position += 1 }
        let end = (isMultiline ? "\"\"\"" : "\"") + mark
        while position < source.count {
            // A quote that starts no string, as in a regular expression, affects one line at most.
            if !isMultiline && source[position].isNewline { break }
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
        code.append(" ")
    }

    private mutating func skip(_ text: String) -> Bool {
        guard source[position...].starts(with: text) else { return false }
        position += text.count
        return true
    }
}
