import ServiceKit
import Testing

@testable import RedisClient

@Suite struct RedisReplyReaderTests {
    @Test func readsEveryKindOfReplyByteByByte() throws {
        let text =
            "+OK\r\n:-42\r\n$3\r\na\u{0}b\r\n$-1\r\n*-1\r\n*0\r\n*3\r\n:1\r\n*2\r\n+a\r\n-ERR b\r\n$0\r\n\r\n-NO way\r\n"
        let reader = RedisReplyReader(bytesMaximum: 1024)
        var values: [RedisValue] = []
        for byte in Array(text.utf8) {
            try reader.feed([byte])
            while let value = try reader.next() { values.append(value) }
        }
        #expect(
            values == [
                .status("OK"), .integer(-42), .bytes([97, 0, 98]), .null, .null, .array([]),
                .array([.integer(1), .array([.status("a"), .error("ERR b")]), .bytes([])]), .error("NO way"),
            ])
    }

    @Test func aReplyBeyondTheBoundIsRefused() throws {
        let reader = RedisReplyReader(bytesMaximum: 100)
        try reader.feed(Array("$1000\r\n".utf8) + [UInt8](repeating: 1, count: 200))
        #expect(throws: RedisError.self) { try reader.next() }
    }

    /// The limit applies to one reply, not to all received bytes or to one read.
    @Test func manySmallRepliesAreNoLargeOne() throws {
        let reader = RedisReplyReader(bytesMaximum: 100)
        try reader.feed((0..<1000).flatMap { _ in Array("+OK\r\n".utf8) })
        var count = 0
        while try reader.next() != nil { count += 1 }
        #expect(count == 1000)
    }

    /// Feeds random bytes, half of them from the protocol's own alphabet, until the reader fails or has read 4 KiB.
    @Test func hostileBytesNeverCrash() {
        let random = SeededRandomSource(seed: 20)
        let alphabet = Array("+-:$*0123456789\r\n\r\n\r\n".utf8)
        for _ in 0..<3000 {
            let reader = RedisReplyReader(bytesMaximum: 2048)
            do throws(RedisError) {
                for _ in 0..<256 {
                    let piece = (0..<16).map { _ -> UInt8 in
                        let draw = random.next()
                        guard draw & 1 == 0 else { return UInt8(truncatingIfNeeded: draw >> 8) }
                        return alphabet[Int(draw >> 8) % alphabet.count]
                    }
                    try reader.feed(piece)
                    while try reader.next() != nil {}
                }
            } catch {
                #expect(error.code == .unknown)
            }
        }
    }

    @Test(arguments: [
        "*2147483647\r\n", "*1000000000\r\n:1\r\n", "$2147483647\r\n", "*9999999999999999999\r\n", "$-2\r\n",
    ])
    func hugePromisesCostNothing(_ text: String) {
        let reader = RedisReplyReader(bytesMaximum: 1024)
        do throws(RedisError) {
            try reader.feed(Array(text.utf8))
            #expect(try reader.next() == nil)
        } catch {
            #expect(error.code == .unknown)
        }
    }
}

extension RedisReplyReader {
    fileprivate func feed(_ bytes: [UInt8]) throws(RedisError) {
        try bytes.withUnsafeBytes { bytes in Result { () throws(RedisError) in try feed(bytes) } }.get()
    }
}
