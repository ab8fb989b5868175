/// Tokens of Google and Huawei are opaque, so a word before the first hyphen selects a fault: `drop-1234`.
enum TokenWord {
    static let faults: [String: Fault] = ["refuse": .refuse, "fail": .fail, "stall": .stall, "drop": .drop]

    /// Nil for a token without such a word. No word is longer than 16 letters.
    static func of(_ token: String) -> Substring? {
        let word = token.utf8.prefix(17).prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        guard word.endIndex < token.utf8.endIndex, token.utf8[word.endIndex] == UInt8(ascii: "-") else { return nil }
        return Substring(word)
    }
}
