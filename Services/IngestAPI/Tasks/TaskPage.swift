import PushModel
import ServiceKit
import Store

/// One page of the list of an app's tasks.
struct TaskPage: Sendable {
    static let limits = 1...100
    static let limit = 20

    var statuses: [TaskStatus]
    let next: TaskEntry.ID?

    var text: String {
        JSONText.object { json in
            json.member("tasks", json: "[\(statuses.map(\.text).joined(separator: ","))]")
            json.member("next", json: next.map { JSONText.quoted($0.cursor) } ?? "null")
        }
    }
}

extension TaskEntry.ID {
    /// Opaque to clients.
    var cursor: String {
        var bytes = task.bytes
        bytes.append(integer: UInt64(bitPattern: begins.milliseconds))
        return Base64URL.encode(bytes)
    }

    init?(cursor: String) {
        guard let bytes = Base64URL.decode(cursor), bytes.count == 24, let task = TaskID(bytes: Array(bytes[..<16]))
        else { return nil }
        var reader = ByteReader(Array(bytes[16...]))
        guard let milliseconds = reader.integer(UInt64.self) else { return nil }
        self.init(begins: Timestamp(milliseconds: Int64(bitPattern: milliseconds)), task: task)
    }
}
