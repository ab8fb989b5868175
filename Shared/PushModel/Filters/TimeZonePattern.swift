/// The name of a time zone, or the beginning of such names followed by an asterisk: `Europe/*`.
package struct TimeZonePattern: Hashable, Sendable {
    package let text: String
    private let start: [UInt8]
    private let isExact: Bool

    package init(_ text: String) throws(InvalidValueError) {
        let start = text.utf8.last == UInt8(ascii: "*") ? Array(text.utf8.dropLast()) : Array(text.utf8)
        guard 1...64 ~= text.utf8.count, start.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "*") })
        else { throw InvalidValueError("expected a time zone such as Europe/Berlin, or the start of some: Europe/*") }
        self.text = text
        self.start = start
        isExact = start.count == text.utf8.count
    }

    func matches(_ name: ArraySlice<UInt8>) -> Bool {
        isExact ? name.elementsEqual(start) : !name.isEmpty && name.starts(with: start)
    }
}
