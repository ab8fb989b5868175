import HTTPServer
import JSONKit

/// A request as a publisher, or an app on a device, sends and repeats it.
struct PublisherRequest: Sendable {
    let method: HTTPMethod
    let path: String
    var contentType = "application/json"
    var body: [UInt8] = []
    /// The idempotency key.
    var key: String?

    init(_ method: HTTPMethod, _ path: String, _ json: JSONObject, key: String? = nil) {
        self.method = method
        self.path = path
        self.key = key
        body = JSON.object(json).compactBytes
    }

    func http(parameters: [String: String]) -> HTTPRequest {
        let headers: HTTPHeaders =
            if let key {
                HTTPHeaders([
                    "Authorization": "Bearer key", "Content-Type": contentType, "Idempotency-Key": "\"\(key)\"",
                ])
            } else {
                HTTPHeaders(["Authorization": "Bearer key", "Content-Type": contentType])
            }
        return HTTPRequest(
            method: method, path: path, headers: headers, body: HTTPRequestBody(body), parameters: parameters)
    }
}
