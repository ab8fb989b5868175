/// What a document would hold, counted in one pass over its bytes before any memory is taken for it. The counts are exact
/// for a document without an empty list or object, each of which counts as one value too many. Of bytes that are no JSON
/// they mean nothing.
struct JSONSize {
    let bytes: Int
    /// Of every kind, the document itself among them.
    private(set) var values = 1
    /// Lists and objects.
    private(set) var containers = 0
    private(set) var members = 0
    /// Names among them.
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

    /// Where the closing quotation mark is, or where the bytes end.
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
            message: "the document has more than \(limits.containersMaximum) lists and objects", position: nil)
    }

    /// What parsing takes at most, and the parsed values with it: simdjson's copy of the bytes, its index (4 bytes for each
    /// value, name and separator), its tape (16 bytes a value, 8 a name) and its texts, then our values.
    var parsedBytes: Int {
        let copies = 2 * bytes
        let values = self.values * (2 * 4 + 16 + MemoryLayout<JSON>.stride)
        // Up to 96 bytes are its share of the table by which many members are found.
        let members = self.members * (2 * 4 + 8 + MemoryLayout<String>.stride + 96)
        let containers = self.containers * (4 + 64)
        // A text of up to 15 bytes needs no allocation; that of a longer one takes up to 56 bytes besides the text.
        let longStrings = min(strings, bytes / 18)
        return copies + values + members + containers + strings * 5 + longStrings * 56 + (longStrings > 0 ? bytes : 0)
    }
}

extension JSON {
    /// How much memory a document takes while it is parsed and afterwards, at most, besides its bytes: for budgets that are
    /// spent before parsing. It costs about a nanosecond a byte and no memory.
    package static func parsedBytesEstimate(of bytes: [UInt8]) -> Int {
        JSONSize(of: bytes).parsedBytes
    }
}
