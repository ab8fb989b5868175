import JSONKit
import ServiceKit

/// The value of a letter as text: JSON and other text without what looks like a device token or a key, and without
/// characters that are not shown; other bytes as hexadecimal.
struct LetterContent: Sendable {
    static let bytesMaximum = 64 << 10
    private static let hexadecimalBytesMaximum = 1_024
    /// Members of messages whose values are too short to look like keys.
    private static let secretNames: Set = ["receipt_key"]

    let text: String
    let isCut: Bool

    init(_ value: [UInt8]) {
        guard let written = OutsideText.string(value) else {
            text = Hexadecimal.encode(Array(value.prefix(LetterContent.hexadecimalBytesMaximum)))
            isCut = value.count > LetterContent.hexadecimalBytesMaximum
            return
        }
        let redacted = (try? JSON(value)).map { LetterContent.redacted($0).compactText } ?? Redaction.redact(written)
        let shown = LetterContent.escaped(redacted)
        isCut = shown.utf8.count > LetterContent.bytesMaximum
        text = isCut ? LetterContent.start(of: shown) : shown
    }

    private static func redacted(_ json: JSON) -> JSON {
        switch json {
        case .string(let text): return .string(Redaction.redact(text))
        case .array(let elements): return .array(elements.map { redacted($0) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { member in
                        (
                            Redaction.redact(member.name),
                            secretNames.contains(member.name) ? .string("[redacted]") : redacted(member.value)
                        )
                    }))
        case .null, .bool, .integer, .unsigned, .number: return json
        }
    }

    /// As JSON escapes them, so that JSON remains JSON.
    private static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            // Format characters can reverse the direction of the text that follows.
            case .control where scalar != "\n" && scalar != "\t", .format:
                for unit in String(scalar).utf16 { result += escape(unit).unicodeScalars }
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    /// Cuts by bytes, since a character may have any number of bytes.
    private static func start(of text: String) -> String {
        var bytes = Array(text.utf8.prefix(bytesMaximum + 1))
        // The first byte that is left out must not continue a scalar.
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        return OutsideText.replacing(bytes)
    }
}
