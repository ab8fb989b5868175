import PushModel

/// The common head of messages about a task's devices: format, task and app.
struct TaskHead {
    let task: TaskID
    let app: AppID

    init(_ task: TaskID, app: AppID) {
        self.task = task
        self.app = app
    }

    func write(format: UInt8, to bytes: inout [UInt8]) {
        bytes.append(format)
        bytes.append(contentsOf: task.bytes)
        bytes.append(counted: app.text.utf8)
    }

    /// Nil for another format.
    init?(format: UInt8, from reader: inout ByteReader) {
        guard reader.byte() == format, let task = reader.bytes(16).flatMap({ TaskID(bytes: Array($0)) }),
            let app = reader.text().flatMap({ try? AppID($0) })
        else { return nil }
        self.init(task, app: app)
    }
}
