/// Tokens of Google and Huawei are opaque, so their prefix before the first hyphen selects a fault: `drop-1234`.
enum TokenPrefix {
    static let faults: [String: Fault] = ["refuse": .refuse, "fail": .fail, "stall": .stall, "drop": .drop]

    /// Nil for a token without such a prefix. No prefix is longer than 16 letters.
    static func of(_ token: String) -> Substring? {
        let letters = token.utf8.prefix(17).prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
        let end = letters.endIndex
        guard end < token.utf8.endIndex, token.utf8[end] == UInt8(ascii: "-") else { return nil }
        return Substring(letters)
    }
}
