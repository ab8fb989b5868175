/// Reads numbers and texts from the start of an input. An input that is too short yields zeros, so every input is
/// valid.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    var remaining: ArraySlice<UInt8> { rest }

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 {
        rest.popFirst() ?? 0
    }

    /// From zero to below `limit`, which is at most 256.
    mutating func number(below limit: Int) -> Int {
        Int(byte()) % limit
    }

    mutating func integer() -> UInt64 {
        (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
    }

    /// A length, and up to that many bytes.
    mutating func bytes() -> [UInt8] {
        let count = Int(byte())
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func text() -> String {
        String(decoding: bytes(), as: UTF8.self)
    }

    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    /// Two parts of the remaining bytes, of any size.
    mutating func halves() -> (first: [UInt8], second: [UInt8]) {
        let place = min(Int(byte()) << 8 | Int(byte()), rest.count)
        let parts = (Array(rest.prefix(place)), Array(rest.dropFirst(place)))
        rest = []
        return parts
    }
}
