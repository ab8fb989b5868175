/// A position in a document as shown by editors: both count from one, columns count Unicode scalars.
package struct JSONPosition: Sendable, Equatable {
    package let line: Int
    package let column: Int

    init(of offset: Int, in bytes: [UInt8]) {
        var line = 1
        var column = 1
        for byte in bytes.prefix(offset) {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        self.line = line
        self.column = column
    }
}
