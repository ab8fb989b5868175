import ServiceKit

@testable import HTTP2
@testable import HTTPServer

/// The server side of an HTTP/2 connection, as in `ingest-api`: streams are answered before, with and after the end of
/// their requests, whatever else the client does with them.
enum RequestSessionTarget {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let head = input.byte()
        let piece = 1 + input.number(below: 64)
        let receiver = RecordingReceiver(mode: head)
        let session = HTTP2RequestSession(
            for: receiver, streamsMaximum: 4, streamWindow: 1_024, headerBytesMaximum: 256)
        receiver.session = session
        while session.nextFrame() != nil {}
        let bytes = (head & 1 == 0 ? preface : []) + input.remaining
        for part in bytes.chunks(of: piece) {
            let isUnderstood = part.withUnsafeBytes { session.receive($0) }
            if let fault = receiver.fault { throw fault }
            guard isUnderstood, !session.isOver else { break }
            receiver.resumeAll()
            while session.nextFrame() != nil {}
            if let fault = receiver.fault { throw fault }
        }
    }
}

private final class RecordingReceiver: HTTP2RequestReceiver {
    private enum Phase {
        case body, ended
    }

    private let mode: UInt8
    weak var session: HTTP2RequestSession?
    private var streams: [Int32: (stream: HTTP2RequestStream, phase: Phase)] = [:]
    private var parts = 0
    private(set) var fault: FuzzError?

    init(mode: UInt8) {
        self.mode = mode
    }

    func headerBegan() {}

    func headerArrived(_ stream: HTTP2RequestStream) {
        check(streams[stream.id] == nil, message: "a stream has two heads")
        check(streams.count < 4, message: "a fifth stream is open")
        // The texts and four bytes for each field.
        check(stream.fields.bytes.count <= 256 * 5, message: "a head passes its bound")
        streams[stream.id] = (stream, stream.isWhole ? .ended : .body)
        do throws(RequestError) {
            let head = try RequestHead(stream)
            check(head.headers.count <= RequestHead.fieldsMaximum, message: "too many fields")
            check(!head.headers.contains("transfer-encoding"), message: "a field of HTTP/1 passes")
            check(
                head.target.path.utf8.allSatisfy { (0x21...0x7E).contains($0) }, message: "a path is not visible ASCII")
        } catch {}
        if mode & 2 != 0 { session?.invite(stream) }
        if mode & 4 != 0 || stream.isWhole { answer(stream) }
        if mode & 8 != 0 { session?.refuse(stream) }
    }

    func bodyArrived(_ bytes: UnsafeRawBufferPointer, on stream: HTTP2RequestStream) {
        check(streams[stream.id]?.phase == .body, message: "a body comes before its head or behind its end")
    }

    func bodyEnded(on stream: HTTP2RequestStream) {
        check(streams[stream.id]?.phase == .body, message: "a body ends twice")
        streams[stream.id]?.phase = .ended
        if mode & 4 == 0 { answer(stream) }
    }

    func answerEnded(on stream: HTTP2RequestStream) {
        check(!stream.isWhole, message: "an answer is reported as early although it is not")
        session?.endRequest(stream)
    }

    func streamClosed(_ stream: HTTP2RequestStream) {
        streams[stream.id] = nil
    }

    func resumeAll() {
        for (stream, _) in streams.values { session?.resume(stream) }
    }

    private func answer(_ stream: HTTP2RequestStream) {
        let body: HTTP2RequestSession.Body
        switch mode >> 4 & 3 {
        case 0: body = .none
        case 1: body = .bytes([1, 2, 3])
        default: body = .parts { [weak self] in self?.part(into: $0) ?? .cut }
        }
        session?.answer(stream, status: 200, headers: ["a": "b"], body: body)
    }

    private func part(into buffer: UnsafeMutableBufferPointer<UInt8>) -> OutgoingBodyPart {
        parts += 1
        switch parts % 4 {
        case 0: return .later
        case 1: return .bytes(0, isLast: mode & 64 != 0)
        case 2: return mode & 128 != 0 ? .cut : .bytes(0, isLast: true)
        default:
            guard let first = buffer.baseAddress, !buffer.isEmpty else { return .later }
            first.pointee = 7
            return .bytes(1, isLast: false)
        }
    }

    private func check(_ holds: Bool, message: String) {
        if !holds, fault == nil { fault = FuzzError(description: message) }
    }
}
