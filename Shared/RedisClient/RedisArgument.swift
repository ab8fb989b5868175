/// One argument of a command, sent as bytes.
package struct RedisArgument: Sendable, Equatable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByIntegerLiteral
{
    enum Content: Sendable, Equatable {
        case text(String)
        case bytes([UInt8])
    }

    let content: Content

    package init(_ text: String) {
        content = .text(text)
    }

    package init(_ bytes: [UInt8]) {
        content = .bytes(bytes)
    }

    package init(_ number: Int) {
        content = .text(String(number))
    }

    package init(_ number: Int64) {
        content = .text(String(number))
    }

    package init(stringLiteral text: String) {
        content = .text(text)
    }

    package init(integerLiteral number: Int64) {
        content = .text(String(number))
    }

    var count: Int {
        switch content {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    var bytes: [UInt8] {
        switch content {
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        }
    }
}
