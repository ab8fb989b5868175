/// Puts an answer together as it comes in, and bounds it.
struct AnswerIntake {
    static let headerBytesMaximum = 64 << 10

    private(set) var status = 0
    private(set) var isCut = false
    private var headers: [HTTPClientRequest.Header] = []
    private var headerBytes = 0
    private var isHeaderComplete = false
    private var body: [UInt8] = []
    private let bodyBytesMaximum: Int

    init(bodyBytesMaximum: Int) {
        self.bodyBytesMaximum = bodyBytesMaximum
    }

    /// Takes one line of the header; false when the header is too large.
    mutating func takeHeader(line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= AnswerIntake.headerBytesMaximum else { return false }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // What came before was interim, such as 103 Early Hints.
            status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            headers = []
            isHeaderComplete = false
        } else if isHeaderComplete {
            // A trailer; nobody here asks for any.
        } else if text == "\r\n" || text == "\n" {
            isHeaderComplete = true
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...]
            headers.append(HTTPClientRequest.Header(String(text[..<colon]), AnswerIntake.trimmed(value)))
        }
        return true
    }

    /// Keeps as much as may be kept; false when that was not all.
    mutating func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let kept = bytes.prefix(bodyBytesMaximum - body.count)
        body += kept
        isCut = kept.count < bytes.count
        return !isCut
    }

    var hasAnswer: Bool { isHeaderComplete && status >= 200 }

    /// Whether all of the answer is here, for a connection that broke afterwards. It takes an answer that says how long
    /// it is: what ends with its connection may have been longer.
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

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
