/// Counts the values of a document in one pass over its bytes, before memory is allocated for it. The counts are exact,
/// except that each empty array or object counts as one value too many. For invalid JSON they have no meaning.
struct JSONSize {
    let bytes: Int
    /// Values of every kind, including the document itself.
    private(set) var values = 1
    /// Arrays and objects.
    private(set) var containers = 0
    private(set) var members = 0
    /// Strings, including names.
    private(set) var strings = 0

    init(of bytes: [UInt8]) {
        self.bytes = bytes.count
        bytes.withUnsafeBufferPointer { count($0) }
    }

    private mutating func count(_ bytes: UnsafeBufferPointer<UInt8>) {
        var offset = 0
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: ","): values += 1
            case UInt8(ascii: ":"): members += 1
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                values += 1
                containers += 1
            case UInt8(ascii: "\""):
                strings += 1
                offset = JSONSize.endOfString(in: bytes, from: offset + 1)
            default: break
            }
            offset += 1
        }
    }

    /// The offset of the closing quotation mark, or the end of the bytes.
    private static func endOfString(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
            offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
        return offset
    }

    func problem(_ limits: JSONLimits) -> JSONError? {
        if values > limits.valuesMaximum {
            return JSONError(
                code: .tooManyValues, message: "the document has more than \(limits.valuesMaximum) values",
                position: nil)
        }
        guard containers > limits.containersMaximum else { return nil }
        return JSONError(
            code: .tooManyValues,
            message: "the document has more than \(limits.containersMaximum) arrays and objects", position: nil)
    }

    /// Maximum memory of parsing and of the parsed values: simdjson's copy of the bytes, its index (4 bytes for each
    /// value, name and separator), its tape (16 bytes a value, 8 a name) and its strings, then our values.
    var parsedBytes: Int {
        let copies = 2 * bytes
        let values = self.values * (2 * 4 + 16 + MemoryLayout<JSON>.stride)
        // Up to 96 bytes are its share of the hash table of a large object.
        let members = self.members * (2 * 4 + 8 + MemoryLayout<String>.stride + 96)
        let containers = self.containers * (4 + 64)
        // A string of up to 15 bytes needs no allocation; a longer one takes up to 56 bytes besides its text.
        let longStrings = min(strings, bytes / 18)
        return copies + values + members + containers + strings * 5 + longStrings * 56 + (longStrings > 0 ? bytes : 0)
    }
}

extension JSON {
    /// Maximum memory of a document during and after parsing, besides its bytes: for budgets that are charged before
    /// parsing. Takes about a nanosecond per byte and no memory.
    package static func parsedBytesEstimate(of bytes: [UInt8]) -> Int {
        JSONSize(of: bytes).parsedBytes
    }
}
