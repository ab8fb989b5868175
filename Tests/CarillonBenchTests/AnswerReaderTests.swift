import Testing

@testable import CarillonBench

@Suite struct AnswerReaderTests {
    private static let accepted =
        "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n\r\n\r\n\r\nok"

    private func read(_ text: String) throws -> AnswerReader.Answer? {
        var reader = AnswerReader()
        reader.append(Array(text.utf8)[...])
        return try reader.next()
    }

    @Test func anAnswerIsCompleteWithItsLastByte() throws {
        var reader = AnswerReader()
        let bytes = Array(AnswerReaderTests.accepted.utf8)
        for place in bytes.indices.dropLast() {
            reader.append(bytes[place...place])
            #expect(try reader.next() == nil)
        }
        reader.append(bytes.suffix(1))
        let answer = try #require(try reader.next())
        #expect(answer.status == 201)
        #expect(answer.body == Array("\r\n\r\nok".utf8))
        #expect(answer.text == AnswerReaderTests.accepted)
    }

    @Test func answersThatArriveTogetherAreSeparated() throws {
        var reader = AnswerReader()
        reader.append(Array("HTTP/1.1 204 No Content\r\n\r\n\(AnswerReaderTests.accepted)HTTP/1.1 5".utf8)[...])
        let first = try #require(try reader.next())
        #expect(first.status == 204)
        #expect(first.body.isEmpty)
        #expect(try reader.next()?.text == AnswerReaderTests.accepted)
        #expect(try reader.next() == nil)
        reader.append(Array("03 Unavailable\r\n\r\n".utf8)[...])
        #expect(try reader.next()?.status == 503)
    }

    @Test(arguments: ["content-length: 2", "CONTENT-LENGTH:2", "Content-Length: \t2"])
    func theLengthIsFoundHoweverItIsWritten(_ field: String) throws {
        #expect(try read("HTTP/1.1 200 OK\r\nX-Content-Length: 9\r\n\(field)\r\n\r\nok")?.body == Array("ok".utf8))
    }

    @Test(arguments: [
        "Content-Length: 16777217", "Content-Length: 99999999999999999999", "Content-Length: -1", "Content-Length:",
        "Content-Length: 1 2", "Transfer-Encoding: chunked",
    ])
    func anAnswerWithoutALengthThatFitsIsAnError(_ field: String) {
        #expect(throws: BenchError.self) { try read("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n") }
    }

    @Test(arguments: ["SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 ok\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n", "\r\n\r\n"])
    func whatIsNoAnswerIsAnError(_ text: String) {
        #expect(throws: BenchError.self) { try read(text) }
    }

    @Test func aHeadWithoutEndIsAnError() {
        #expect(throws: BenchError.self) {
            try read("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: AnswerReader.headBytesMaximum))
        }
    }

    /// A search that began at the first byte for each piece would take minutes.
    @Test(.timeLimit(.minutes(1))) func aLongAnswerInSmallPiecesIsReadInLinearTime() throws {
        var reader = AnswerReader()
        let piece = [UInt8](repeating: UInt8(ascii: "\n"), count: 64)[...]
        reader.append(Array("HTTP/1.1 200 OK\r\nContent-Length: 4194304\r\n\r\n".utf8)[...])
        for _ in 1..<(4_194_304 / 64) {
            reader.append(piece)
            #expect(try reader.next() == nil)
        }
        reader.append(piece)
        #expect(try reader.next()?.body.count == 4_194_304)
    }
}
