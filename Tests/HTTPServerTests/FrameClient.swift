import Glibc
import ServiceKit
import TLSSocket

/// An HTTP/2 client over TLS that sends exactly the frames of a test. Its calls block, so a test makes them inside
/// `blocking`; each times out after thirty seconds.
final class FrameClient {
    struct Frame: Equatable {
        let type: Kind
        let flags: UInt8
        let stream: UInt32
        let payload: [UInt8]
    }

    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goodbye, windowUpdate, continuation
    }

    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    /// `GET / HTTP/2` and `:authority: a`, in HPACK.
    static let get: [UInt8] = [0x82, 0x87, 0x84, 0x41, 0x01, 0x61]
    /// The same for `POST /echo`.
    static let postEcho: [UInt8] = [0x83, 0x87, 0x04, 0x05] + Array("/echo".utf8) + [0x41, 0x01, 0x61]

    private let socket: TLSSocket
    private var input: [UInt8] = []

    /// Sends the connection preface, with this window for each stream.
    init(port: UInt16, authorityFile: String, streamWindow: UInt32 = 65_535) throws {
        var configuration = TLSConfiguration()
        configuration.authorityFile = authorityFile
        configuration.applicationProtocols = ["h2"]
        socket = try TLSSocket(
            host: "127.0.0.1", port: port, tls: try TLSContext(configuration), serverName: "localhost")
        while case let progress = try socket.advance(), progress != .done { wait(progress == .wantWrite) }
        send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
        let window = [0x00, 0x04] + withUnsafeBytes(of: streamWindow.bigEndian) { Array($0) }
        send(.settings, payload: window)
    }

    func send(_ type: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        let length = UInt32(payload.count).bigEndian
        let head =
            withUnsafeBytes(of: length) { Array($0.dropFirst()) } + [type.rawValue, flags]
            + withUnsafeBytes(of: stream.bigEndian) { Array($0) }
        send(head + payload)
    }

    /// The next frame that matches, skipping others; nil if the server closes the connection.
    func receive(_ isWanted: (Frame) -> Bool) -> Frame? {
        while let frame = next() {
            if isWanted(frame) { return frame }
        }
        return nil
    }

    /// The status of a response, as our encoder indexes it: from the static table, or as a literal.
    func status(of stream: UInt32) -> Int? {
        guard let frame = receive({ $0.type == .headers && $0.stream == stream }) else { return nil }
        let indexed = [0x88: 200, 0x89: 204, 0x8A: 206, 0x8B: 304, 0x8C: 400, 0x8D: 404, 0x8E: 500]
        guard let first = frame.payload.first else { return nil }
        if let status = indexed[Int(first)] { return status }
        // A literal with the name `:status`: its length is three, with or without the Huffman bit.
        return FrameClient.literal(frame.payload)
    }

    private static func literal(_ payload: [UInt8]) -> Int? {
        guard payload.count > 4, payload[1] & 0x7F <= 3 else { return nil }
        let length = Int(payload[1] & 0x7F)
        let bytes = payload[2..<(2 + length)]
        guard payload[1] & 0x80 != 0 else { return Int(String(decoding: bytes, as: UTF8.self)) }
        // Digits in HPACK's Huffman code: 0, 1, 2 have five bits, the others six.
        var bits = bytes.reduce("") { $0 + String($1 + 0, radix: 2).leftPadded(to: 8) }[...]
        var digits = ""
        while digits.count < 3 {
            if let short = ["00000": "0", "00001": "1", "00010": "2"][String(bits.prefix(5))] {
                digits += short
                bits = bits.dropFirst(5)
            } else {
                guard let code = Int(bits.prefix(6), radix: 2), (0x19...0x1F).contains(code) else { return nil }
                digits += String(code - 0x19 + 3)
                bits = bits.dropFirst(6)
            }
        }
        return Int(digits)
    }

    private func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let transfer = bytes[sent...].withUnsafeBytes { bytes in try? socket.write(bytes) }
            guard case .bytes(let count)? = transfer else {
                guard transfer != nil else { return }
                wait(true)
                continue
            }
            sent += count
        }
    }

    private func next() -> Frame? {
        while input.count < 9 || input.count < 9 + length {
            guard read() else { return nil }
        }
        defer { input.removeFirst(9 + length) }
        let stream = input[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return Frame(
            type: Kind(rawValue: input[3]) ?? .priority, flags: input[4], stream: stream,
            payload: Array(input[9..<(9 + length)]))
    }

    private var length: Int { Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2]) }

    private func read() -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            guard let transfer = try? socket.read(into: buffer) else { return false }
            switch transfer {
            case .bytes(let count):
                input += buffer[..<count]
                return true
            case .end: return false
            case .wantRead, .wantWrite: guard wait(transfer == .wantWrite) else { return false }
            }
        }
    }

    @discardableResult
    private func wait(_ isWriting: Bool) -> Bool {
        var event = pollfd(fd: socket.descriptor, events: Int16(isWriting ? POLLOUT : POLLIN), revents: 0)
        return poll(&event, 1, 30_000) > 0
    }
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: count - self.count) + self
    }
}
