/// Reason why the server itself, and not a handler, answers a request.
enum RequestError: Error, Equatable {
    case ambiguousLength(String)
    case unknownEncoding
    case malformed(String)
    case headerTooLarge(bytesMaximum: Int)
    case bodyTooLarge(bytesMaximum: Int)
    case bodiesTooLarge
    case tooManyFields(countMaximum: Int)
    case unknownVersion
    case unknownExpectation
    case headerLate
    case bodyLate
    case stopping

    /// Values of the metric's `reason` label.
    enum Reason: String, CaseIterable {
        case ambiguousLength = "ambiguous_length"
        case unknownEncoding = "unknown_encoding"
        case malformed
        case headerTooLarge = "header_too_large"
        case headerLate = "header_late"
        case bodyTooLarge = "body_too_large"
        case bodiesTooLarge = "bodies_too_large"
        case bodyLate = "body_late"
        case unknownVersion = "unknown_version"
        case unknownExpectation = "unknown_expectation"
        case stopping
    }

    var reason: Reason {
        switch self {
        case .ambiguousLength: .ambiguousLength
        case .unknownEncoding: .unknownEncoding
        case .malformed: .malformed
        case .headerTooLarge, .tooManyFields: .headerTooLarge
        case .bodyTooLarge: .bodyTooLarge
        case .bodiesTooLarge: .bodiesTooLarge
        case .unknownVersion: .unknownVersion
        case .unknownExpectation: .unknownExpectation
        case .headerLate: .headerLate
        case .bodyLate: .bodyLate
        case .stopping: .stopping
        }
    }

    var problem: Problem {
        switch self {
        case .ambiguousLength(let detail), .malformed(let detail):
            Problem(.badRequest, detail: detail)
        case .unknownEncoding:
            Problem(.notImplemented, detail: "The only supported transfer encoding is chunked.")
        case .headerTooLarge(let maximum):
            Problem(.headerFieldsTooLarge, detail: "The request line and header exceed \(maximum) bytes.")
        case .bodyTooLarge(let maximum):
            Problem(.contentTooLarge, detail: "The body exceeds \(maximum) bytes.")
        case .bodiesTooLarge:
            Problem(.serviceUnavailable, detail: "Too many request bodies are in memory; retry later.")
        case .tooManyFields(let maximum):
            Problem(.headerFieldsTooLarge, detail: "The header has more than \(maximum) fields.")
        case .unknownVersion:
            Problem(.versionNotSupported, detail: "The supported protocol versions are HTTP/1.1 and HTTP/1.0.")
        case .headerLate:
            Problem(.requestTimeout, detail: "The header was not complete before the deadline.")
        case .bodyLate:
            Problem(.requestTimeout, detail: "The body was not complete before the deadline.")
        case .unknownExpectation:
            Problem(.expectationFailed, detail: "The only supported expectation is 100-continue.")
        case .stopping:
            Problem(.serviceUnavailable, detail: "The service is shutting down.")
        }
    }

    var headers: [HTTPField] {
        switch self {
        case .bodiesTooLarge, .stopping: [HTTPField("Retry-After", "1")]
        default: []
        }
    }
}
