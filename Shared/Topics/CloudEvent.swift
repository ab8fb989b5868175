import PushModel
package import ServiceKit

/// The attributes of a CloudEvents 1.0 event. A repeated event has the same source and id, whichever process sends it.
package struct CloudEvent: Sendable, Equatable {
    package let id: String
    /// Includes the version of the value, so that an old reader can ignore a new one.
    package let type: String
    /// The path of the app in the HTTP API, not a process or machine, which would differ in a repeat.
    package let source: String
    /// The subject: a task or a device.
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
