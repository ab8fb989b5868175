/// Reads fixed formats of ASCII from the front of a slice, byte by byte.
extension ArraySlice<UInt8> {
    /// False, and nothing is read, if the next byte is another one.
    package mutating func popByte(_ expected: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: expected) else { return false }
        removeFirst()
        return true
    }

    /// Exactly that many digits, at most 18.
    package mutating func popNumber(digits count: Int) -> Int64? {
        let digits = prefix(count)
        guard digits.count == count, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// One to that many digits.
    package mutating func popNumber(digitsMaximum: Int) -> Int64? {
        let count = prefix(digitsMaximum).prefix(while: \.isASCIIDigit).count
        return count > 0 ? popNumber(digits: count) : nil
    }
}
