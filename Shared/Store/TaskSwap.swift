package import PushModel
package import ServiceKit

/// A task that is to become the one that counts for its key.
package struct TaskSwap: Hashable, Sendable {
    private static let format: UInt8 = 1

    package let key: ReplacementKey
    package let task: TaskID

    package init(_ task: TaskID, key: ReplacementKey) {
        self.key = key
        self.task = task
    }

    package var packed: [UInt8] {
        [TaskSwap.format] + task.bytes + Array("\(key.app)/\(key.text)".utf8)
    }

    /// Nil for another format.
    package init?(packed bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.byte() == TaskSwap.format, let task = reader.bytes(16).flatMap({ TaskID(bytes: Array($0)) }),
            let text = OutsideText.string(Array(reader.rest())),
            let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")),
            let app = try? AppID(String(text[..<slash])),
            let key = try? ReplacementKey(String(text[text.utf8.index(after: slash)...]), of: app)
        else { return nil }
        self.init(task, key: key)
    }
}

/// A swap that is due, held for a limited time.
package struct SwapLease: Hashable, Sendable {
    package let swap: TaskSwap
    /// When it expires; it identifies the holder.
    package let end: Timestamp

    package init(_ swap: TaskSwap, until end: Timestamp) {
        self.swap = swap
        self.end = end
    }
}
