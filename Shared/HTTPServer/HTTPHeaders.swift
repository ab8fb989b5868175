import ServiceKit

/// The header fields of a request: one buffer and the positions of the fields in it, since a request has a dozen fields
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

    /// With capacity for the fields of a typical request.
    init(bytesOfHead count: Int) {
        bytes.reserveCapacity(count)
        fields.reserveCapacity(16)
    }

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

    /// The first value of a field; the name is case-insensitive.
    package subscript(_ name: String) -> String? {
        fields.first { isNamed($0, name: name) }.map(value)
    }

    /// Every value of a field, in the order received.
    package func values(_ name: String) -> [String] {
        fields.filter { isNamed($0, name: name) }.map(value)
    }

    package func contains(_ name: String) -> Bool {
        fields.contains { isNamed($0, name: name) }
    }

    private func value(_ field: Field) -> String {
        String(decoding: bytes[field.nameEnd..<field.end], as: UTF8.self)
    }

    private func isNamed(_ field: Field, name: String) -> Bool {
        let wanted = name.utf8
        guard field.nameEnd - field.start == wanted.count else { return false }
        var place = field.start
        for byte in wanted {
            guard HTTPToken.lowercased(bytes[place]) == HTTPToken.lowercased(byte) else { return false }
            place += 1
        }
        return true
    }
}

/// The characters of names in HTTP (RFC 9110, 5.6.2).
enum HTTPToken {
    static func contains(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        byte.isASCIIUppercase ? byte | 0x20 : byte
    }
}
