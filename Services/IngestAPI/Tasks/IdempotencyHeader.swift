import HTTPServer
import ServiceKit

/// The header `Idempotency-Key` of the IETF draft: a quoted string. Some clients omit the quotation marks; the unquoted
/// value is the same key.
enum IdempotencyHeader {
    static let name = "Idempotency-Key"
    static let bytesMaximum = 255
    static let rule =
        "\(name) must be one value of 1 to \(bytesMaximum) visible ASCII characters, quoted or unquoted."
    /// Completes "expected …", for a key that is not in the header.
    static let textRule = "1 to \(bytesMaximum) visible ASCII characters"

    /// Nil for a request without a key.
    static func key(of request: HTTPRequest) throws(TaskError) -> String? {
        let values = request.headers.values(name)
        guard let value = values.first else { return nil }
        guard values.count == 1, let key = key(in: value), isKey(key) else { throw .idempotencyKey }
        return key
    }

    static func isKey(_ text: String) -> Bool {
        1...bytesMaximum ~= text.utf8.count && text.utf8.allSatisfy(isVisible)
    }

    private static func key(in value: String) -> String? {
        let bytes = Array(value.utf8)
        guard bytes.allSatisfy(isVisible) else { return nil }
        guard bytes.first == UInt8(ascii: "\"") else {
            return bytes.contains(UInt8(ascii: " ")) || bytes.contains(UInt8(ascii: "\"")) ? nil : value
        }
        return unquoted(bytes)
    }

    private static func isVisible(_ byte: UInt8) -> Bool { 0x20...0x7E ~= byte }

    /// RFC 8941, 4.2.5: a backslash escapes only a quotation mark or a backslash, and nothing follows the closing mark.
    private static func unquoted(_ bytes: [UInt8]) -> String? {
        var key: [UInt8] = []
        var rest = bytes.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return rest.isEmpty ? OutsideText.string(key) : nil
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                key.append(escaped)
            default: key.append(byte)
            }
        }
        return nil
    }
}
