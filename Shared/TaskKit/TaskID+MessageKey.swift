package import PushModel
import ServiceKit

extension TaskID {
    /// The task that the key of a message begins with: in its short form for tasks and their parts, in its usual form
    /// before a colon for what concerns a segment of one. Nil for messages that belong to no task.
    package init?(messageKey key: [UInt8]) {
        let start = OutsideText.string(Array(key.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }))
        let short = start.flatMap { Base64URL.decode($0) }.flatMap { TaskID(bytes: $0) }
        guard let task = short ?? start.flatMap({ TaskID($0) }) else { return nil }
        self = task
    }
}
