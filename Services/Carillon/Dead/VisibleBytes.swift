import ServiceKit

/// Formats untrusted bytes for a terminal: control characters are escaped, and whatever looks like a device token or
/// a key is redacted, unless `isRaw`.
struct VisibleBytes: Sendable {
    /// Shorter than any token.
    private static let headBytes = 16
    private static let bytesPerLine = 32

    private let isRaw: Bool

    init(isRaw: Bool) {
        self.isRaw = isRaw
    }

    /// Text if the bytes are UTF-8; otherwise hexadecimal, truncated to its first bytes unless `isRaw`.
    func print(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return print(text) }
        if isRaw { return hexadecimal(bytes) }
        let head = hexadecimal(Array(bytes.prefix(VisibleBytes.headBytes)))
        return bytes.count > VisibleBytes.headBytes
            ? "\(head) … (\(bytes.count) bytes, not text; use --raw for all)" : head
    }

    func print(_ text: String) -> String {
        (isRaw ? text : Redaction.redact(text)).unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            // Format characters can reverse the direction of the text that follows.
            case .control where scalar != "\n" && scalar != "\t", .format:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }

    /// A single line of at most `charactersMaximum` characters.
    func line(_ text: String, charactersMaximum: Int) -> String {
        let line = print(text).split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.count > charactersMaximum ? line.prefix(charactersMaximum - 1) + "…" : line
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.chunks(of: VisibleBytes.bytesPerLine).map { Hexadecimal.encode($0) }.joined(separator: "\n")
    }
}
