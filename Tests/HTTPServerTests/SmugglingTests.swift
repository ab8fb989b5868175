import ServiceKit
import TestSupport
import Testing

@testable import HTTPServer

/// Requests that two servers may read differently, by section of RFC 9112. A proxy in front of this server that reads
/// one of them differently could take part of one client's body for another client's request; so each is refused and
/// the connection closed. Decision 16 lists how nginx and HAProxy treat some of them.
@Suite struct SmugglingTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let request: String
        let status: Int

        init(_ name: String, request: String, status: Int = 400) {
            self.name = name
            self.request = request
            self.status = status
        }

        var testDescription: String { name }
    }

    private static let post = "POST /echo HTTP/1.1\r\nHost: a\r\n"
    private static let chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let refused = [
        Case("2.2 bare LF behind the request line", request: "GET / HTTP/1.1\nHost: a\r\n\r\n"),
        Case("2.2 bare LF behind a field", request: "GET / HTTP/1.1\r\nHost: a\nX: y\r\n\r\n"),
        Case("2.2 bare LF as the empty line", request: "GET / HTTP/1.1\r\nHost: a\r\n\n"),
        Case("2.2 bare CR in the request line", request: "GET /\rx HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("2.2 bare CR in a value", request: "GET / HTTP/1.1\r\nHost: a\r\nX: y\rz\r\n\r\n"),
        Case("2.2 bare CR in a name", request: "GET / HTTP/1.1\r\nHost: a\r\nX\r: y\r\n\r\n"),
        Case("2.2 blank before the first field", request: "GET / HTTP/1.1\r\n Host: a\r\n\r\n"),
        Case("2.2 two empty lines before the request", request: "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("3 two blanks in the request line", request: "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("3 tab in the request line", request: "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("3 blank behind the version", request: "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"),
        Case("3 no version", request: "GET /\r\nHost: a\r\n\r\n"),
        Case("2.3 version of another protocol", request: "GET / HTTP/2.0\r\nHost: a\r\n\r\n", status: 505),
        Case("2.3 version in lower case", request: "GET / http/1.1\r\nHost: a\r\n\r\n"),
        Case("2.3 version with further digits", request: "GET / HTTP/1.10\r\nHost: a\r\n\r\n"),
        Case("3.1 NUL in the method", request: "GE\0T / HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("3.2 NUL in the target", request: "GET /\0x HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("3.2 bytes beyond ASCII in the target", request: "GET /é HTTP/1.1\r\nHost: a\r\n\r\n"),
        Case("3.2 two Host fields", request: "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
        Case("3.2 Host with a path", request: "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Case("3.2 Host with a blank", request: "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
        Case("5 NUL in a value", request: "GET / HTTP/1.1\r\nHost: a\r\nX: y\0z\r\n\r\n"),
        Case("5 empty field name", request: "GET / HTTP/1.1\r\nHost: a\r\n: y\r\n\r\n"),
        Case("5 field without a colon", request: "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n"),
        Case("5.1 blank before the colon", request: post + "Content-Length : 5\r\n\r\nhello"),
        Case("5.2 folded length", request: post + "Content-Length:\r\n 60\r\n\r\n"),
        Case("5.2 folded value", request: "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\tz\r\n\r\n"),
        Case("6.1 both lengths", request: post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case(
            "6.1 chunked twice",
            request: post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case("6.1 chunked not last", request: post + "Transfer-Encoding: chunked, gzip\r\n\r\n", status: 501),
        Case("6.1 another coding", request: post + "Transfer-Encoding: xchunked\r\n\r\n", status: 501),
        Case("6.1 vertical tab in the coding", request: post + "Transfer-Encoding: \u{b}chunked\r\n\r\n"),
        Case("6.1 chunked in HTTP/1.0", request: "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Case("6.3 two lengths", request: post + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
        Case("6.3 list of lengths", request: post + "Content-Length: 5, 5\r\n\r\nhello"),
        Case("6.3 length of letters", request: post + "Content-Length: five\r\n\r\nhello"),
        Case("6.3 negative length", request: post + "Content-Length: -5\r\n\r\nhello"),
        Case("6.3 length with a fraction", request: post + "Content-Length: 5.0\r\n\r\nhello"),
        Case("6.3 length with a sign", request: post + "Content-Length: +5\r\n\r\nhello"),
        Case("6.3 length in hexadecimal", request: post + "Content-Length: 0x5\r\n\r\nhello"),
        Case("6.3 length beyond 64 bits", request: post + "Content-Length: 18446744073709551621\r\n\r\nhello"),
        Case("6.3 empty length", request: post + "Content-Length:\r\n\r\n"),
        Case("7.1 LF behind a size", request: chunked + "5\nhello\r\n0\r\n\r\n"),
        Case("7.1 LF behind the data", request: chunked + "5\r\nhello\n0\r\n\r\n"),
        Case("7.1 CR alone behind a size", request: chunked + "5\rhello\r\n0\r\n\r\n"),
        Case("7.1 data longer than its size", request: chunked + "4\r\nhello\r\n0\r\n\r\n"),
        Case("7.1 size with a sign", request: chunked + "+5\r\nhello\r\n0\r\n\r\n"),
        Case("7.1 size with a prefix", request: chunked + "0x5\r\nhello\r\n0\r\n\r\n"),
        Case("7.1 blank behind a size", request: chunked + "5 \r\nhello\r\n0\r\n\r\n"),
        Case("7.1 no size", request: chunked + "\r\nhello\r\n0\r\n\r\n"),
        Case("7.1 size beyond 64 bits", request: chunked + "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        Case("7.1.1 control character in an extension", request: chunked + "5;a\u{1}\r\nhello\r\n0\r\n\r\n"),
        Case(
            "7.1.1 extension of 40 KB",
            request: chunked + "5;" + String(repeating: "x", count: 40_000) + "\r\nhello\r\n0\r\n\r\n"),
        Case("7.1.2 malformed trailer", request: chunked + "0\r\nX y\r\n\r\n"),
        Case("7.1.2 folded trailer", request: chunked + "0\r\nX: y\r\n z\r\n\r\n"),
        Case(
            "marks in a header that are slow to compare",
            request:
                "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: \(String(repeating: "\u{301}\u{323}", count: 1_000))\r\n\r\n"
        ),
    ]

    /// The request after it, which no client can have intended, is not answered.
    @Test(arguments: refused)
    func isRefusedOnceAndEndsTheConnection(_ attempt: Case) async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let answers = await blocking {
                let client = RawClient(port: port)
                client.send(attempt.request + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                client.finishSending()
                return client.receiveAll()
            }
            #expect(answers.hasPrefix("HTTP/1.1 \(attempt.status) "))
            #expect(answers.contains("Content-Type: application/problem+json\r\n"))
            #expect(answers.contains("Connection: close\r\n"))
            #expect(answers.split(separator: "\r\nDate: ").count == 2)
        }
    }

    static let taken = [
        Case("2.2 an empty line before the request", request: "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", status: 200),
        Case("3.2 no Host in HTTP/1.0", request: "GET / HTTP/1.0\r\n\r\n", status: 200),
        Case("3.2.2 absolute form", request: "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", status: 200),
        Case("3.2.4 asterisk form", request: "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", status: 204),
        Case("5.1 no blank behind the colon", request: "GET / HTTP/1.1\r\nHost:a\r\n\r\n", status: 200),
        Case("5.1 blanks around a value", request: "GET / HTTP/1.1\r\nHost: \t a \t\r\n\r\n", status: 200),
        Case("5.1 an empty value", request: "GET / HTTP/1.1\r\nHost: a\r\nX:\r\n\r\n", status: 200),
        Case("5.5 bytes beyond ASCII in a value", request: "GET / HTTP/1.1\r\nHost: a\r\nX: é\r\n\r\n", status: 200),
        Case("6.1 coding in upper case", request: post + "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n", status: 200),
        Case("6.3 equal lengths", request: post + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", status: 200),
        Case("7.1 size with zeros in front", request: chunked + "0005\r\nhello\r\n0\r\n\r\n", status: 200),
        Case("7.1.1 extension", request: chunked + "5 ;a=\"b\"\r\nhello\r\n0;c\r\n\r\n", status: 200),
        Case("7.1.2 trailer", request: chunked + "5\r\nhello\r\n0\r\nX: y\r\nZ:\r\n\r\n", status: 200),
    ]

    /// Sent as a whole, byte by byte, and followed by another request on the same connection.
    @Test(arguments: taken)
    func isTakenAndKeepsTheConnection(_ attempt: Case) async throws {
        try await withRunning(HTTPServerConfiguration(), router: greetingRouter()) { _, port in
            let statuses = await blocking {
                let client = RawClient(port: port)
                for byte in attempt.request.utf8 { client.send([byte]) }
                let first = client.receiveResponse()?.status
                guard !attempt.request.contains("HTTP/1.0") else { return [first, 200] }
                client.send(attempt.request + "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let isRepeated = client.receiveResponse()?.status == attempt.status
                return [first, isRepeated ? client.receiveResponse()?.status : nil]
            }
            #expect(statuses == [attempt.status, 200])
        }
    }
}
