import JSONKit

/// The ids of one list, in their order.
struct BatchIDs {
    struct ID {
        /// Nil for a value that is no string.
        let text: ArraySlice<UInt8>?
    }

    private var cursor: JSONCursor
    private var hasBegun = false

    /// `start` is the place of the array.
    init(_ bytes: [UInt8], start: Int) {
        cursor = JSONCursor(bytes, at: start)
    }

    /// Nil after the last.
    mutating func next() throws(JSONError) -> ID? {
        if !hasBegun {
            try cursor.enterArray()
            hasBegun = true
        }
        guard try cursor.nextElement() else { return nil }
        guard try cursor.kind() == .string else {
            _ = try cursor.skip()
            return ID(text: nil)
        }
        let text = try cursor.text()
        return ID(text: try cursor.unescaped(text))
    }
}
