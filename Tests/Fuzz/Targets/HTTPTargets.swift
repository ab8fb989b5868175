import ServiceKit

@testable import HTTPClient
@testable import HTTPServer

/// Responses that libcurl passes on line by line, and request targets.
enum HTTPTargets {
    private static let bodyBytesMaximum = 256

    /// The first byte sets the size of the body's pieces.
    static func answers(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let piece = 1 + input.number(below: 64)
        let (head, body) = input.halves()
        var intake = AnswerIntake(bodyBytesMaximum: bodyBytesMaximum)
        var taken = 0
        for line in lines(of: head) {
            taken += line.count
            let isTaken = line.withUnsafeBytes { intake.takeHeader(line: $0) }
            try FuzzError.check(
                isTaken == (taken <= AnswerIntake.headerBytesMaximum), message: "the header's limit is missed")
            guard isTaken else { break }
        }
        for part in body.chunks(of: piece) {
            guard part.withUnsafeBytes({ intake.takeBody($0) }) else { break }
        }
        try check(intake, body: body)
    }

    private static func lines(of head: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        for byte in head {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            lines.append(line)
            line = []
        }
        return line.isEmpty ? lines : lines + [line]
    }

    private static func check(_ intake: AnswerIntake, body: [UInt8]) throws {
        let response = intake.response
        try FuzzError.check(response.body == Array(body.prefix(bodyBytesMaximum)), message: "the body differs")
        try FuzzError.check(response.isCut == (body.count > bodyBytesMaximum), message: "a cut is missed")
        try FuzzError.check(!intake.isWhole || intake.hasAnswer, message: "complete without an answer")
        try FuzzError.check(!intake.hasAnswer || intake.status >= 200, message: "an interim response is final")
        for header in response.headers {
            try FuzzError.check(
                header.value.first?.isWhitespace != true && header.value.last?.isWhitespace != true,
                message: "\(header.name) has blanks around its value")
        }
    }

    static func targets(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try checkEncoding(bytes, text: text)
        guard let target = bytes.withUnsafeBytes({ RequestTarget($0) }) else { return }
        guard let segments = target.segments else {
            return try FuzzError.check(text == "*", message: "\(text) has no segments")
        }
        try FuzzError.check(target.path.hasPrefix("/"), message: "a path that does not begin with a slash")
        try FuzzError.check(
            segments.count == target.path.utf8.count(where: { $0 == UInt8(ascii: "/") }),
            message: "segments and slashes differ")
        for segment in segments {
            try FuzzError.check(!segment.utf8.contains(0), message: "a segment holds a NUL")
        }
        let local = target.path + (target.query.isEmpty ? "" : "?" + target.query)
        try FuzzError.check(
            Array(local.utf8).withUnsafeBytes { RequestTarget($0) } == target, message: "\(local) is another target")
        let request = HTTPRequest(method: .get, path: target.path, query: target.query)
        for item in request.queryItems ?? [] {
            try FuzzError.check(request.queryValue(item.name) != nil, message: "an item is not found by its name")
        }
    }

    private static func checkEncoding(_ bytes: [UInt8], text: String) throws {
        if let decoded = PercentEncoding.decode(Substring(text).utf8, plusIsSpace: true) {
            try FuzzError.check(decoded.utf8.count <= text.utf8.count, message: "decoding adds bytes")
        }
        guard !bytes.contains(0), String(validating: bytes, as: UTF8.self) != nil else { return }
        let escaped = bytes.map { byte in "%" + Hexadecimal.encode([byte]) }.joined()
        if let decoded = PercentEncoding.decode(Substring(escaped).utf8) {
            try FuzzError.check(Array(decoded.utf8) == bytes, message: "escapes decode to something else")
        }
    }
}
