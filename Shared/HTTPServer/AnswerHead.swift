import HTTP2
import ServiceKit

/// The status line and header fields of a response, as sent.
struct AnswerHead {
    /// How the client detects the end of the body.
    enum Framing {
        /// The status has no body, or the request was HEAD and the length is unknown.
        case none
        case length(Int)
        case chunked
        /// The body ends with the connection: HTTP/1.0 has no chunks.
        case untilClose
    }

    let status: HTTPStatus
    let fields: [HTTPField]
    let framing: Framing
    let closes: Bool
    /// True if an HTTP/1.0 client that asked for keep-alive gets a confirmation.
    let tellsKeepAlive: Bool

    /// Fields that the server writes itself.
    private static let ownFields = ["connection", "content-length", "date", "transfer-encoding"]

    func bytes(date: String, log: Log) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: "HTTP/1.1 ".utf8)
        bytes.append(contentsOf: String(status.code).utf8)
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: status.title.utf8)
        bytes.append(contentsOf: "\r\n".utf8)
        AnswerHead.append("Date", date, to: &bytes)
        for field in fields where AnswerHead.isAllowed(field, log: log) {
            AnswerHead.append(field.name, field.value, to: &bytes)
        }
        switch framing {
        case .none, .untilClose: break
        case .length(let count): AnswerHead.append("Content-Length", String(count), to: &bytes)
        case .chunked: AnswerHead.append("Transfer-Encoding", "chunked", to: &bytes)
        }
        if closes {
            AnswerHead.append("Connection", "close", to: &bytes)
        } else if tellsKeepAlive {
            AnswerHead.append("Connection", "keep-alive", to: &bytes)
        }
        bytes.append(contentsOf: "\r\n".utf8)
        return bytes
    }

    private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        bytes.append(contentsOf: value.utf8)
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
    }

    /// The same fields for HTTP/2, whose frames delimit the body.
    static func http2Fields(of response: HTTPResponse, date: String, log: Log) -> HTTP2Headers {
        var headers = HTTP2Headers()
        headers.append("date", date)
        for field in response.headers where isAllowed(field, log: log) {
            headers.append(field.name.lowercased(), field.value)
        }
        if case .bytes(let body) = response.body, !response.hasNoBody {
            headers.append("content-length", String(body.count), indexing: .nameOnly)
        }
        return headers
    }

    private static func isAllowed(_ field: HTTPField, log: Log) -> Bool {
        let isAllowed = isAllowed(field)
        if !isAllowed {
            log.error("response header omitted: malformed or set by the server itself", [.reason: field.name])
        }
        return isAllowed
    }

    /// A value from outside must not start a new header line.
    private static func isAllowed(_ field: HTTPField) -> Bool {
        (1...255).contains(field.name.utf8.count) && field.value.utf8.count <= 65_535
            && field.name.utf8.allSatisfy(HTTPToken.contains)
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
            && !ownFields.contains { $0.utf8.count == field.name.utf8.count && $0 == field.name.lowercased() }
    }
}
