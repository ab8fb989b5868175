import Testing

@testable import HTTPServer

@Suite struct StreamBufferTests {
    private func read(_ buffer: inout StreamBuffer, count: Int) -> (StreamBuffer.Read, String) {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = bytes.withUnsafeMutableBytes { buffer.read(into: $0) }
        guard case .bytes(let count) = read else { return (read, "") }
        return (read, String(decoding: bytes[..<count], as: UTF8.self))
    }

    @Test func piecesAreReadAcrossTheirBounds() {
        var buffer = StreamBuffer(bytesMaximum: 100)
        _ = buffer.write(Array("abc".utf8))
        _ = buffer.write(Array("defg".utf8))
        #expect(read(&buffer, count: 2).1 == "ab")
        #expect(read(&buffer, count: 3).1 == "cde")
        #expect(read(&buffer, count: 9).1 == "fg")
        #expect(read(&buffer, count: 9).0 == .wait)
    }

    @Test func aWaitingReaderIsWokenOnce() {
        var buffer = StreamBuffer(bytesMaximum: 100)
        #expect(read(&buffer, count: 1).0 == .wait)
        #expect(buffer.write([1]) == .stored(wakesReader: true))
        #expect(buffer.write([2]) == .stored(wakesReader: false))
        buffer.leave()
        #expect(!buffer.isReaderWaiting)
    }

    @Test func aFullBufferTakesNothing() {
        var buffer = StreamBuffer(bytesMaximum: 4)
        _ = buffer.write([1, 2, 3])
        #expect(buffer.write([4, 5]) == .full)
        #expect(buffer.bytesBuffered == 3)
    }

    /// Otherwise it would wait forever.
    @Test func aPieceOverTheBoundIsTakenAlone() {
        var buffer = StreamBuffer(bytesMaximum: 2)
        #expect(buffer.write([1, 2, 3]) == .stored(wakesReader: false))
    }

    @Test func theEndComesAfterTheLastByte() {
        var buffer = StreamBuffer(bytesMaximum: 4)
        _ = buffer.write(Array("x".utf8))
        _ = buffer.finish()
        #expect(read(&buffer, count: 4).1 == "x")
        #expect(read(&buffer, count: 4).0 == .end)
    }

    @Test func aReaderThatLeftIsNotWrittenTo() {
        var buffer = StreamBuffer(bytesMaximum: 4)
        _ = buffer.write([1])
        buffer.leave()
        #expect(buffer.write([1]) == .readerLeft)
        #expect(read(&buffer, count: 4).0 == .cut)
        #expect(buffer.bytesBuffered == 0)
    }
}
