import ServiceKit

/// Bytes from outside, made fit for a terminal: no control character reaches it, and nothing that looks like a device
/// token or a key unless it was asked for.
struct VisibleBytes: Sendable {
    /// Too short for any token.
    private static let headBytes = 16
    private static let bytesPerLine = 32

    private let isRaw: Bool

    init(isRaw: Bool) {
        self.isRaw = isRaw
    }

    /// Text where the bytes are UTF-8; else hexadecimal, of which only the head is shown unless everything was asked for.
    func print(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return print(text) }
        if isRaw { return hexadecimal(bytes) }
        let head = hexadecimal(Array(bytes.prefix(VisibleBytes.headBytes)))
        return bytes.count > VisibleBytes.headBytes
            ? "\(head) … (\(bytes.count) bytes, no text; --raw shows all)" : head
    }

    func print(_ text: String) -> String {
        (isRaw ? text : Redaction.redact(text)).unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            // Format characters can turn the direction of what follows.
            case .control where scalar != "\n" && scalar != "\t", .format:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }.joined()
    }

    /// On one line, and no longer than that.
    func line(_ text: String, charactersMaximum: Int) -> String {
        let line = print(text).split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.count > charactersMaximum ? line.prefix(charactersMaximum - 1) + "…" : line
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: VisibleBytes.bytesPerLine).map { start in
            bytes[start..<min(start + VisibleBytes.bytesPerLine, bytes.count)]
                .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }.joined(separator: "\n")
    }
}
