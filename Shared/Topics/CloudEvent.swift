import PushModel
package import ServiceKit

/// What happened, as CloudEvents 1.0 names it. Whoever tells of it again, from whichever process, tells it under the same
/// source and id.
package struct CloudEvent: Sendable, Equatable {
    package let id: String
    /// With the version of what is told, so that an old reader can leave a new one alone.
    package let type: String
    /// Where the HTTP API serves the app: no process or machine, which would differ in a repeat.
    package let source: String
    /// What it happened to: a task or a device.
    package let subject: String
    package let time: Timestamp

    init(id: String, of topic: String, version: Int, app: AppID, subject: String, time: Timestamp) {
        self.id = id
        type = "carillon.\(topic).v\(version)"
        source = "/apps/\(app)"
        self.subject = subject
        self.time = time
    }
}
