import HTTP2

extension HTTP2Answer {
    private static let noContent = 204

    /// An answer with the length of its body, as providers send it. Without it libcurl resets each finished stream.
    static func withLength(_ status: Int = 200, headers: HTTP2Headers, body: String = "") -> HTTP2Answer {
        // An answer without content has neither (RFC 9110, section 15.3.5).
        guard status != noContent else { return HTTP2Answer(status, headers: headers) }
        var headers = headers
        headers.append("content-length", String(body.utf8.count))
        return HTTP2Answer(status, headers: headers, body: Array(body.utf8))
    }
}
