import JSONKit
package import PushModel
package import ServiceKit

/// A report as posted to its app's endpoint, complete, since the data it was made from may be removed before a repeated
/// post.
package struct ReportPost: TopicMessage, Hashable {
    package static let version = 1

    package let task: TaskID
    package let app: AppID
    /// The time at which the task was closed.
    package let closed: Timestamp
    /// JSON, in the dialect in which the task was submitted.
    package let body: [UInt8]

    package init(task: TaskID, app: AppID, closed: Timestamp, body: [UInt8]) {
        self.task = task
        self.app = app
        self.closed = closed
        self.body = body
    }

    /// Lets an endpoint detect a repeat.
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
        else { throw MalformedMessageError("invalid post, or of an unknown version") }
        self.init(task: task, app: app, closed: closed, body: body.compactBytes)
    }
}
