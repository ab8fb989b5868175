/// The header fields of a request: one buffer and the places of the fields in it, since a request has a dozen of them
/// and a handler reads two.
package struct HTTPHeaders: Sendable {
    private struct Field {
        let start: Int
        let nameEnd: Int
        let end: Int
    }

    private var bytes: [UInt8] = []
    private var fields: [Field] = []

    package init() {}

    package init(_ fields: KeyValuePairs<String, String>) {
        for (name, value) in fields {
            Array(name.utf8).withUnsafeBytes { name in
                Array(value.utf8).withUnsafeBytes { append(name: name, value: $0) }
            }
        }
    }

    mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let start = bytes.count
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        fields.append(Field(start: start, nameEnd: start + name.count, end: bytes.count))
    }

    package var count: Int { fields.count }

    /// The first value of a field, whatever the case of its name.
    package subscript(_ name: String) -> String? {
        fields.first { isNamed($0, name) }.map(value)
    }

    /// Every value of a field, in the order received.
    package func values(_ name: String) -> [String] {
        fields.filter { isNamed($0, name) }.map(value)
    }

    package func contains(_ name: String) -> Bool {
        fields.contains { isNamed($0, name) }
    }

    /// The first field that HTTP does not allow: a name that is no token, such as one with a space before its colon
    /// (which another server may read as a different name), or a value with control characters.
    var malformedField: String? {
        for field in fields {
            let name = bytes[field.start..<field.nameEnd]
            guard !name.isEmpty, name.allSatisfy(HTTPToken.contains) else {
                return String(decoding: name, as: UTF8.self)
            }
            guard bytes[field.nameEnd..<field.end].allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return String(decoding: name, as: UTF8.self)
            }
        }
        return nil
    }

    private func value(_ field: Field) -> String {
        String(decoding: bytes[field.nameEnd..<field.end], as: UTF8.self)
    }

    private func isNamed(_ field: Field, _ name: String) -> Bool {
        let wanted = name.utf8
        guard field.nameEnd - field.start == wanted.count else { return false }
        return zip(bytes[field.start..<field.nameEnd], wanted).allSatisfy {
            HTTPToken.lowercased($0) == HTTPToken.lowercased($1)
        }
    }
}

/// The characters of names in HTTP (RFC 9110, 5.6.2).
enum HTTPToken {
    static func contains(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
