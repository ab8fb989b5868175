import ServiceKit

/// Assembles a response as it arrives, and limits its size.
struct AnswerIntake {
    /// The part of the response that comes next.
    private enum Part {
        case statusLine
        case header
        case body
    }

    static let headerBytesMaximum = 64 << 10

    private(set) var status = 0
    private(set) var isCut = false
    private var headers: [HTTPClientRequest.Header] = []
    private var headerBytes = 0
    private var part = Part.statusLine
    private var body: [UInt8] = []
    private let bodyBytesMaximum: Int

    init(bodyBytesMaximum: Int) {
        self.bodyBytesMaximum = bodyBytesMaximum
    }

    /// Takes one line of the header; false if the header is too large. A status line is accepted at the start and after
    /// an interim response such as 103 Early Hints, which it replaces.
    mutating func takeHeader(line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= AnswerIntake.headerBytesMaximum else { return false }
        switch part {
        case .statusLine:
            status = AnswerIntake.status(in: line)
            headers = []
            part = .header
        case .header where AnswerIntake.isEmpty(line):
            part = 100...199 ~= status ? .statusLine : .body
        case .header: if let header = AnswerIntake.header(in: line) { headers.append(header) }
        // A trailer; none are used here.
        case .body: break
        }
        return true
    }

    /// Keeps as much as the limit permits; false if that was not all.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let kept = bytes.prefix(bodyBytesMaximum - body.count)
        body += kept
        isCut = kept.count < bytes.count
        return !isCut
    }

    var hasAnswer: Bool { part == .body && status >= 200 }

    /// True if the response is complete although the connection broke afterwards. This requires a response with a
    /// length: one that ends with its connection may have been longer.
    var isWhole: Bool {
        guard hasAnswer else { return false }
        if status == 204 || status == 304 { return true }
        guard response.header("transfer-encoding") == nil, let length = response.header("content-length") else {
            return false
        }
        return Int(length) == body.count
    }

    var response: HTTPClientResponse {
        HTTPClientResponse(status: status, headers: headers, body: body, isCut: isCut)
    }

    /// Zero for an invalid line.
    private static func status(in line: UnsafeRawBufferPointer) -> Int {
        let words = line.split(separator: UInt8(ascii: " "))
        guard line.starts(with: "HTTP/".utf8), words.count > 1, let text = OutsideText.string(words[1]) else {
            return 0
        }
        return Int(trimmed(text)) ?? 0
    }

    /// Nil for a line that is not a header field or not valid text.
    private static func header(in line: UnsafeRawBufferPointer) -> HTTPClientRequest.Header? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let name = OutsideText.string(line[..<colon]),
            let value = OutsideText.string(line[(colon + 1)...])
        else { return nil }
        return HTTPClientRequest.Header(name, trimmed(value))
    }

    private static func isEmpty(_ line: UnsafeRawBufferPointer) -> Bool {
        line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8)
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
