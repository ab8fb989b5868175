import HTTP2
import ServiceKit

/// An error in the form of Google's APIs.
struct GoogleError: Error, Sendable, Equatable {
    enum Detail: Sendable, Equatable {
        /// Marks an error about the push, and not about the request.
        case messaging(code: String)
        case badRequest(field: String)
        case none
    }

    let status: Int
    let message: String
    var detail = Detail.none

    static func badField(_ field: String, message: String) -> GoogleError {
        GoogleError(status: 400, message: message, detail: .badRequest(field: field))
    }

    /// Name in the statistics.
    var reason: String {
        if case .messaging(let code) = detail { return code }
        return statusName
    }

    func answer(retryAfter: Int? = nil) -> HTTP2Answer {
        var headers: HTTP2Headers = ["content-type": "application/json; charset=UTF-8"]
        if let retryAfter { headers.append("retry-after", String(retryAfter)) }
        let error = JSONText.object { json in
            json.member("code", status)
            json.member("message", message)
            json.member("status", statusName)
            if let details { json.member("details", json: details) }
        }
        let body = JSONText.object { $0.member("error", json: error) }
        return HTTP2Answer(status, headers: headers, body: Array(body.utf8))
    }

    private var statusName: String {
        GoogleError.statusNames[status] ?? "UNKNOWN"
    }

    private static let statusNames = [
        400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
        429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE",
    ]

    private var details: String? {
        switch detail {
        case .none: return nil
        case .messaging(let code):
            let detail = JSONText.object { json in
                json.member("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
                json.member("errorCode", code)
            }
            return "[\(detail)]"
        case .badRequest(let field):
            let violation = JSONText.object { json in
                json.member("field", field)
                json.member("description", message)
            }
            let detail = JSONText.object { json in
                json.member("@type", "type.googleapis.com/google.rpc.BadRequest")
                json.member("fieldViolations", json: "[\(violation)]")
            }
            return "[\(detail)]"
        }
    }
}
