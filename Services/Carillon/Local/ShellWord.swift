import ServiceKit

/// Words of a shell command that users paste.
enum ShellWord {
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_./:@%+=,".utf8.contains($0) }
        return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }
}
