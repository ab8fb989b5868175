package struct HTTPField: Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A handler's response. The server adds the length, date and connection fields.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// The header is sent immediately; the body follows as it is written to the stream.
        case stream(HTTPStream)
    }

    package var status: HTTPStatus
    package var headers: [HTTPField]
    package var body: Body
    /// True if the connection ends after this response.
    package var closesConnection = false

    package init(_ status: HTTPStatus, headers: [HTTPField] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    package static func text(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status, headers: [HTTPField("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
    }

    package static func json(_ text: String, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status, headers: [HTTPField("Content-Type", "application/json")], body: .bytes(Array(text.utf8)))
    }

    /// True if the status alone implies that no body follows.
    var hasNoBody: Bool { status == .noContent || status.code == 304 }

    var stream: HTTPStream? {
        guard case .stream(let stream) = body else { return nil }
        return stream
    }
}
