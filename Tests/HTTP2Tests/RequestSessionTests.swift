import Testing

@testable import HTTP2

@Suite struct RequestSessionTests {
    private final class Receiver: HTTP2RequestReceiver {
        var arrived: [Int32] = []
        func headerBegan() {}
        func headerArrived(_ stream: HTTP2RequestStream) { arrived.append(stream.id) }
        func bodyArrived(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2RequestStream) {}
        func bodyEnded(on stream: HTTP2RequestStream) {}
        func answerEnded(on stream: HTTP2RequestStream) {}
        func streamClosed(_ stream: HTTP2RequestStream) {}
    }

    private let greeting = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    /// `GET /` with an authority, and no body.
    private func request(_ stream: UInt8) -> [UInt8] {
        [0, 0, 6, 1, 5, 0, 0, 0, stream, 0x82, 0x87, 0x84, 0x41, 0x01, 0x61]
    }

    /// GOAWAY tells the client that the request was not processed, so it must not be.
    @Test func aRequestBehindTheGoodbyeIsNotWorkedOn() {
        let receiver = Receiver()
        let session = HTTP2RequestSession(
            for: receiver, streamsMaximum: 10, streamWindow: 1_024, headerBytesMaximum: 1_024)
        #expect((greeting + request(1)).withUnsafeBytes { session.receive($0) })
        session.sayGoodbye()
        #expect(request(3).withUnsafeBytes { session.receive($0) })
        #expect(receiver.arrived == [1])
    }
}
