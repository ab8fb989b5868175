import ServiceKit

/// Separates the answers in what a connection receives. It knows as much of HTTP/1.1 as those answers of Carillon's
/// servers need that have a length. Each byte is searched once: what the client of a benchmark uses of a small machine
/// is missing in what is measured there.
struct AnswerReader {
    struct Answer {
        let status: Int
        fileprivate let bytes: [UInt8]
        fileprivate let bodyStart: Int

        var body: [UInt8] { Array(bytes[bodyStart...]) }
        /// With the head.
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private struct Head {
        let status: Int
        let bodyStart: Int
        let end: Int
    }

    static let headBytesMaximum = 64 << 10
    static let bodyBytesMaximum = 16 << 20
    private static let version = Array("HTTP/1.1 ".utf8)
    private static let headEnd = Array("\r\n\r\n".utf8)

    private var received: [UInt8] = []
    /// Bytes that do not contain the end of the head.
    private var searched = 0
    private var head: Head?

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        received += bytes
    }

    /// The first answer; nil until all of it is received.
    mutating func next() throws(BenchError) -> Answer? {
        if head == nil { head = try findHead() }
        guard let head, received.count >= head.end else { return nil }
        let answer = Answer(status: head.status, bytes: Array(received[..<head.end]), bodyStart: head.bodyStart)
        received.removeFirst(head.end)
        self.head = nil
        searched = 0
        return answer
    }

    private mutating func findHead() throws(BenchError) -> Head? {
        while let lineEnd = received[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            searched = lineEnd + 1
            let bytes = received[..<searched]
            if bytes.suffix(AnswerReader.headEnd.count).elementsEqual(AnswerReader.headEnd) {
                return try AnswerReader.parse(bytes)
            }
        }
        searched = received.count
        guard searched <= AnswerReader.headBytesMaximum else {
            throw BenchError("the head of an answer is longer than \(AnswerReader.headBytesMaximum) bytes")
        }
        return nil
    }

    private static func parse(_ bytes: ArraySlice<UInt8>) throws(BenchError) -> Head {
        var rest = bytes.dropFirst(version.count)
        guard bytes.starts(with: version), let status = rest.popNumber(digits: 3) else {
            throw BenchError("not an answer of HTTP/1.1: \(String(decoding: bytes, as: UTF8.self))")
        }
        var length = 0
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if value(of: "transfer-encoding", in: line) != nil { throw BenchError("an answer without a length") }
            guard let value = value(of: "content-length", in: line) else { continue }
            length = try number(value)
        }
        return Head(status: Int(status), bodyStart: bytes.count, end: bytes.count + length)
    }

    private static func number(_ value: ArraySlice<UInt8>) throws(BenchError) -> Int {
        var rest = value
        guard let number = rest.popNumber(digitsMaximum: 18), rest.elementsEqual("\r".utf8), number <= bodyBytesMaximum
        else {
            let text = String(decoding: value.dropLast(), as: UTF8.self)
            throw BenchError("an answer of \(text) bytes: expected at most \(bodyBytesMaximum)")
        }
        return Int(number)
    }

    /// Nil if the line is another field. `name` is in lower case, and the case in the line does not count.
    private static func value(of name: String, in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let name = name.utf8
        var rest = line.dropFirst(name.count)
        guard rest.popByte(":"), zip(line, name).allSatisfy({ $0 == $1 || $0.isASCIIUppercase && $0 | 0x20 == $1 })
        else { return nil }
        return rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
