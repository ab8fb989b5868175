@testable import HTTPServer

/// Input of an HTTP/1.1 client: the requests are the same however the socket splits the bytes, and contain nothing that
/// another server might read differently.
enum HTTP1Target {
    private static let headBytesMaximum = 4 << 10

    private struct Request: Equatable {
        let method: String
        let path: String
        let query: String
        let framing: BodyFraming
        let fieldCount: Int
        var body: [UInt8] = []
    }

    private struct Reading: Equatable {
        var requests: [Request] = []
        /// The reason is ignored: a head that is both too long and malformed is refused for the error found first.
        var isRefused = false
        /// The stream ended within a request.
        var isUnfinished = false
    }

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let piece = 1 + input.number(below: 32)
        let stream = input.remainder()
        let whole = try read(stream, piece: max(1, stream.count))
        let divided = try read(stream, piece: piece)
        try FuzzError.check(
            whole == divided, message: "pieces of \(piece) bytes read differently: \(whole), \(divided)")
        let byByte = try read(stream, piece: 1)
        try FuzzError.check(whole == byByte, message: "single bytes read differently: \(whole), \(byByte)")
    }

    /// Reads like a connection: head, body, and the next head after it.
    private static func read(_ stream: [UInt8], piece: Int) throws -> Reading {
        var reading = Reading()
        var rest = stream[...]
        while !rest.isEmpty, !reading.isRefused, !reading.isUnfinished {
            guard let head = try head(&rest, piece: piece, reading: &reading) else { break }
            var request = Request(
                method: head.method.rawValue, path: head.target.path, query: head.target.query, framing: head.framing,
                fieldCount: head.headers.count)
            readBody(head.framing, rest: &rest, piece: piece, request: &request, reading: &reading)
            reading.requests.append(request)
        }
        return reading
    }

    private static func head(
        _ rest: inout ArraySlice<UInt8>, piece: Int, reading: inout Reading
    ) throws -> RequestHead? {
        var scanner = HeadScanner(bytesMaximum: headBytesMaximum)
        var seen = 0
        while seen < rest.count {
            seen = min(rest.count, seen + piece)
            let step = Array(rest.prefix(seen)).withUnsafeBytes { scanner.scan($0) }
            switch step {
            case .incomplete: continue
            case .refused:
                reading.isRefused = true
                return nil
            case .complete(let count):
                let bytes = Array(rest.prefix(count).dropFirst(scanner.emptyLineBytes))
                rest = rest.dropFirst(count)
                return try parse(bytes, reading: &reading)
            }
        }
        reading.isUnfinished = true
        return nil
    }

    private static func parse(_ bytes: [UInt8], reading: inout Reading) throws -> RequestHead? {
        switch bytes.withUnsafeBytes({ RequestHead.parse($0) }) {
        case .failure:
            reading.isRefused = true
            return nil
        case .success(let head):
            try check(head, bytes: bytes)
            return head
        }
    }

    private static func check(_ head: RequestHead, bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: Unicode.ASCII.self)
        for (place, byte) in bytes.enumerated() {
            try FuzzError.check(byte != 0, message: "a NUL passes: \(text)")
            let isPair = place > 0 && bytes[place - 1] == UInt8(ascii: "\r")
            try FuzzError.check(byte != UInt8(ascii: "\n") || isPair, message: "a bare LF passes: \(text)")
            let isStart = place + 1 < bytes.count && bytes[place + 1] == UInt8(ascii: "\n")
            try FuzzError.check(byte != UInt8(ascii: "\r") || isStart, message: "a bare CR passes: \(text)")
            let begins = place > 0 && bytes[place - 1] == UInt8(ascii: "\n")
            try FuzzError.check(!begins || byte != 0x20 && byte != 0x09, message: "a folded line passes: \(text)")
        }
        let headers = head.headers
        try FuzzError.check(
            !headers.contains("content-length") || !headers.contains("transfer-encoding"),
            message: "both lengths pass: \(text)")
        try FuzzError.check(headers.values("host").count <= 1, message: "two hosts pass: \(text)")
        let lines = bytes.filter { $0 == UInt8(ascii: "\n") }.count
        try FuzzError.check(headers.count == lines - 2, message: "lines and fields differ: \(text)")
    }

    private static func readBody(
        _ framing: BodyFraming, rest: inout ArraySlice<UInt8>, piece: Int, request: inout Request,
        reading: inout Reading
    ) {
        switch framing {
        case .none: break
        case .untilEnd: preconditionFailure("only HTTP/2 frames its bodies")
        case .length(let count):
            request.body = Array(rest.prefix(count))
            reading.isUnfinished = rest.count < count
            rest = rest.dropFirst(count)
        case .chunked:
            var decoder = ChunkedBody()
            while !rest.isEmpty {
                let part = Array(rest.prefix(piece))
                let step = part.withUnsafeBytes { bytes in
                    decoder.read(bytes) {
                        request.body += $0
                        return nil
                    }
                }
                switch step {
                case .incomplete: rest = rest.dropFirst(part.count)
                case .complete(let count):
                    rest = rest.dropFirst(count)
                    return
                case .refused:
                    reading.isRefused = true
                    return
                }
            }
            reading.isUnfinished = true
        }
    }
}
