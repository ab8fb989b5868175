import JSONKit
package import PushModel
package import ServiceKit

/// A report as it is posted to the endpoint of its app, whole, since what it was made from may be gone when it is posted
/// again.
package struct ReportPost: TopicMessage, Hashable {
    package static let version = 1

    package let task: TaskID
    package let app: AppID
    /// When its task was closed.
    package let closed: Timestamp
    /// JSON, in the words of the dialect in which the task came.
    package let body: [UInt8]

    package init(task: TaskID, app: AppID, closed: Timestamp, body: [UInt8]) {
        self.task = task
        self.app = app
        self.closed = closed
        self.body = body
    }

    /// By which an endpoint knows a repeat.
    package var id: String { "\(task)/report" }

    package func encoded() -> [UInt8] {
        let text = JSONText.object { json in
            json.member("version", ReportPost.version)
            json.member("task", "\(task)")
            json.member("app", app.text)
            json.member("closed", "\(closed)")
            json.member("body", json: body)
        }
        return Array(text.utf8)
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "post")
        guard json.hasVersion(ReportPost.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            let app = json.value("app", convert: { try? AppID($0) }),
            let closed = json.value("closed", convert: Timestamp.init(rfc3339:)), let body = json["body"]
        else { throw MalformedMessageError("no post of a known version") }
        self.init(task: task, app: app, closed: closed, body: body.compactBytes)
    }
}
