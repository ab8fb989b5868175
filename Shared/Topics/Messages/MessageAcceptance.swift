import JSONKit
package import PushModel
import ServiceKit

/// A message to one user, which is a task with a window, is durable where it waits. The webhook of its app is told; what
/// becomes of it is told from results and receipts.
package struct MessageAcceptance: TopicMessage, Hashable {
    package static let version = 1

    package let task: TaskID
    package let app: AppID

    package init(task: TaskID, app: AppID) {
        self.task = task
        self.app = app
    }

    package func encoded() -> [UInt8] {
        let text = JSONText.object { json in
            json.member("version", MessageAcceptance.version)
            json.member("task", "\(task)")
            json.member("app", app.text)
        }
        return Array(text.utf8)
    }

    package init(decoding bytes: [UInt8]) throws {
        let json = try JSON(message: bytes, "acceptance")
        guard json.hasVersion(MessageAcceptance.version),
            let task = json.value("task", convert: TaskID.init(_:)),
            let app = json.value("app", convert: { try? AppID($0) })
        else { throw MalformedMessageError("invalid acceptance, or of an unknown version") }
        self.init(task: task, app: app)
    }
}
