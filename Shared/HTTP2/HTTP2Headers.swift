import Glibc

/// Header fields in order, packed into one array, so that a request's headers cost one allocation.
///
/// Each field is the length of its name (one byte), of its value (two bytes), its indexing (one byte), then both texts.
package struct HTTP2Headers: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// A field's effect on the connection's compression table, which has 4 KiB and evicts its oldest entries.
    package enum Indexing: UInt8, Sendable {
        /// The same in many requests: sent in full once, then as a number.
        case table
        /// Different in each request: the value would only evict shared entries, so only the name enters the table.
        case nameOnly
    }

    private static let usualByteCount = 96
    private(set) var bytes: [UInt8] = []

    package init() {}

    package init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { append(name, value) }
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package mutating func reserveCapacity(_ byteCount: Int) {
        bytes.reserveCapacity(byteCount)
    }

    /// Names must be in lower case, as HTTP/2 requires.
    package mutating func append(_ name: String, _ value: String, indexing: Indexing = .table) {
        let isWhole = HTTP2Headers.withBytes(name) { name in
            HTTP2Headers.withBytes(value) { append(name, $0, indexing: indexing) }
        }
        precondition(isWhole, "a header name has up to 255 bytes and a value up to 65,535")
    }

    /// False if the field is too long to be stored.
    mutating func append(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, indexing: Indexing
    ) -> Bool {
        guard name.count <= UInt8.max, value.count <= UInt16.max else { return false }
        // Capacity for most messages, so that few of them grow.
        if bytes.isEmpty { bytes.reserveCapacity(HTTP2Headers.usualByteCount) }
        bytes.append(UInt8(name.count))
        bytes.append(UInt8(value.count >> 8))
        bytes.append(UInt8(value.count & 0xFF))
        bytes.append(indexing.rawValue)
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
        return true
    }

    /// The value of the first field of that name.
    package subscript(name: String) -> String? {
        var found: String?
        forEachField { field in
            guard found == nil, field.name.elementsEqual(name.utf8) else { return }
            found = String(decoding: field.value, as: UTF8.self)
        }
        return found
    }

    package var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        forEachField {
            fields.append((String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self)))
        }
        return fields
    }

    /// One field; valid only within the call that lends it.
    package struct Field {
        package let name: UnsafeBufferPointer<UInt8>
        package let value: UnsafeBufferPointer<UInt8>
        let indexing: Indexing

        package func isNamed(_ name: StaticString) -> Bool { self.name.spells(name) }
    }

    package func forEachField(_ body: (Field) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            HTTP2Headers.forEachPlace(in: bytes) { place in
                body(
                    Field(
                        name: UnsafeBufferPointer(rebasing: bytes[place.name..<place.value]),
                        value: UnsafeBufferPointer(rebasing: bytes[place.value..<place.end]),
                        indexing: place.indexing))
            }
        }
    }

    /// Offsets of a field's texts among the bytes, and of its end.
    struct Place {
        let name: Int
        let value: Int
        let end: Int
        let indexing: Indexing
    }

    static func forEachPlace(in bytes: UnsafeBufferPointer<UInt8>, _ body: (Place) -> Void) {
        var start = 0
        while start < bytes.count {
            let name = start + 4
            let value = name + Int(bytes[start])
            let end = value + Int(bytes[start + 1]) << 8 + Int(bytes[start + 2])
            body(Place(name: name, value: value, end: end, indexing: Indexing(rawValue: bytes[start + 3]) ?? .table))
            start = end
        }
    }

    private static func withBytes<Result>(
        _ text: String, body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        // Only a string bridged from another runtime may not be contiguous already.
        text.utf8.withContiguousStorageIfAvailable(body) ?? Array(text.utf8).withUnsafeBufferPointer(body)
    }
}

extension UnsafeBufferPointer<UInt8> {
    func spells(_ text: StaticString) -> Bool {
        guard let baseAddress, count == text.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress, text.utf8Start, count) == 0
    }
}
