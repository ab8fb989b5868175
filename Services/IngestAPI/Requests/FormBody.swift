import JSONKit
import ServiceKit

/// A body of `application/x-www-form-urlencoded`: every value is a string, and the last value of a repeated name wins.
/// A name such as `sport[ignore_message]` becomes an object `sport` with a member `ignore_message`.
enum FormBody {
    static let fieldsMaximum = 20_000
    static let nameBytesMaximum = 1_024

    static func decode(_ bytes: [UInt8]) throws(BodyError) -> JSONObject {
        guard let text = OutsideText.string(bytes) else {
            throw .malformed("The body \(OutsideText.problem).")
        }
        var object = JSONObject()
        var fields = 0
        var rest = text[...].utf8
        while let item = nextItem(of: &rest) {
            fields += 1
            guard fields <= fieldsMaximum else {
                throw .malformed("The form has more than \(fieldsMaximum) fields.")
            }
            let nameEnd = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            set(try name(item[..<nameEnd]), to: .string(try decode(item[nameEnd...].dropFirst())), in: &object)
        }
        return object
    }

    private static func set(_ name: String, to value: JSON, in object: inout JSONObject) {
        guard let (outer, inner) = nestedName(name) else {
            object[name] = value
            return
        }
        var nested = object[outer]?.object ?? JSONObject()
        // Released here so that the next line changes it without a copy.
        object[outer] = .null
        nested[inner] = value
        object[outer] = .object(nested)
    }

    /// Supports one level of nesting only.
    private static func nestedName(_ name: String) -> (outer: String, inner: String)? {
        guard name.utf8.last == UInt8(ascii: "]"), let open = name.utf8.firstIndex(of: UInt8(ascii: "[")) else {
            return nil
        }
        let (outer, inner) = (name.utf8[..<open], name.utf8[open...].dropFirst().dropLast())
        guard !outer.isEmpty, !inner.isEmpty, !inner.contains(where: { "[]".utf8.contains($0) }) else { return nil }
        return (String(Substring(outer)), String(Substring(inner)))
    }

    /// Skips empty items. Items are read one by one, since an array of all of them would take 16 times the body's
    /// memory.
    private static func nextItem(of rest: inout Substring.UTF8View) -> Substring.UTF8View? {
        rest = rest.drop { $0 == UInt8(ascii: "&") }
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "&")) ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    private static func name(_ part: Substring.UTF8View) throws(BodyError) -> String {
        // An escape takes three bytes for one.
        guard part.count <= 3 * nameBytesMaximum else { throw nameTooLong }
        let name = try decode(part)
        guard name.utf8.count <= nameBytesMaximum else { throw nameTooLong }
        return name
    }

    private static var nameTooLong: BodyError {
        .malformed("The form has a name of more than \(nameBytesMaximum) bytes.")
    }

    private static func decode(_ part: Substring.UTF8View) throws(BodyError) -> String {
        guard let text = PercentEncoding.decode(part, plusIsSpace: true) else {
            throw .malformed(
                """
                The form has a percent escape that is invalid or does not decode to text \
                (which \(OutsideText.problem)): \(OutsideText.replacing(part.prefix(80)))
                """)
        }
        return text
    }
}
