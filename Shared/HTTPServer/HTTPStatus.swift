/// A status code and its reason phrase.
package struct HTTPStatus: Hashable, Sendable, ExpressibleByIntegerLiteral {
    package static let ok: HTTPStatus = 200
    package static let created: HTTPStatus = 201
    package static let accepted: HTTPStatus = 202
    package static let noContent: HTTPStatus = 204
    package static let badRequest: HTTPStatus = 400
    package static let unauthorized: HTTPStatus = 401
    package static let forbidden: HTTPStatus = 403
    package static let notFound: HTTPStatus = 404
    package static let methodNotAllowed: HTTPStatus = 405
    package static let requestTimeout: HTTPStatus = 408
    package static let conflict: HTTPStatus = 409
    package static let contentTooLarge: HTTPStatus = 413
    package static let unsupportedMediaType: HTTPStatus = 415
    package static let expectationFailed: HTTPStatus = 417
    package static let unprocessableContent: HTTPStatus = 422
    package static let tooManyRequests: HTTPStatus = 429
    package static let headerFieldsTooLarge: HTTPStatus = 431
    package static let internalServerError: HTTPStatus = 500
    package static let notImplemented: HTTPStatus = 501
    package static let serviceUnavailable: HTTPStatus = 503
    package static let versionNotSupported: HTTPStatus = 505

    package let code: Int

    package init(_ code: Int) {
        precondition((200...599).contains(code), "\(code) is not a final HTTP status")
        self.code = code
    }

    package init(integerLiteral code: Int) {
        self.init(code)
    }

    /// The phrase of RFC 9110; empty for an unknown code.
    package var title: String {
        HTTPStatus.titles[code] ?? ""
    }

    private static let titles = [
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type", 417: "Expectation Failed", 422: "Unprocessable Content",
        429: "Too Many Requests", 431: "Request Header Fields Too Large", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported",
        507: "Insufficient Storage",
    ]
}
