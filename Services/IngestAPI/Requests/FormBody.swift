import HTTPServer
import JSONKit
import ServiceKit

/// A body of `application/x-www-form-urlencoded`: every value is a text, and of a repeated name the last one counts.
enum FormBody {
    static func decode(_ bytes: [UInt8]) throws(BodyRefusal) -> JSONObject {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("the body is not UTF-8")
        }
        var object = JSONObject()
        for item in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try decode(parts[0])
            object[name] = .string(parts.count > 1 ? try decode(parts[1]) : "")
        }
        return object
    }

    private static func decode(_ part: Substring.UTF8View) throws(BodyRefusal) -> String {
        guard let text = PercentEncoding.decode(part, plusIsSpace: true) else {
            throw .malformed("the form has a broken escape, or one that is not UTF-8: \(OutsideText.excerpt(Substring(part)))")
        }
        return text
    }
}
