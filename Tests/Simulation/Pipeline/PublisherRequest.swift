import HTTPServer
import JSONKit

/// A request as a publisher, or an app on a device, sends and repeats it.
struct PublisherRequest: Sendable {
    let method: HTTPMethod
    let path: String
    let query: String
    let body: [UInt8]
    /// The idempotency key.
    let key: String?

    init(_ method: HTTPMethod, _ path: String, query: String = "", body: [UInt8] = [], key: String? = nil) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.key = key
    }

    init(_ method: HTTPMethod, _ path: String, _ json: JSONObject, key: String? = nil) {
        self.init(method, path, body: JSON.object(json).compactBytes, key: key)
    }

    func http(parameters: [String: String]) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, query: query, headers: headers, body: HTTPRequestBody(body),
            parameters: parameters)
    }

    private var headers: HTTPHeaders {
        guard let key else { return HTTPHeaders(["Authorization": "Bearer key", "Content-Type": "application/json"]) }
        return HTTPHeaders([
            "Authorization": "Bearer key", "Content-Type": "application/json", "Idempotency-Key": "\"\(key)\"",
        ])
    }
}
