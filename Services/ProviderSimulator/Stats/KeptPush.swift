import HTTP2
import JSONKit
import ServiceKit

/// A push as it arrived, for tests to look at.
struct KeptPush: Sendable {
    let path: String
    let headers: HTTP2Headers
    let body: [UInt8]
    let connection: Int
    let received: Timestamp

    /// Credentials are left out, so that they do not appear in a test's log.
    var json: String {
        JSONText.object { json in
            json.member("received", received.description)
            json.member("connection", connection)
            json.member("path", path)
            json.member(
                "headers",
                json: JSONText.object { json in
                    for (name, value) in headers.fields where name != "authorization" { json.member(name, value) }
                })
            let isJSON = (try? JSON(body)) != nil
            if isJSON { json.member("body", json: body) } else { json.member("body", OutsideText.replacing(body)) }
        }
    }
}
