package import PushModel
package import ServiceKit
package import Store
package import Topics

extension TaskPart {
    /// Decodes the archived form: the bytes in which the part came.
    package init(archived bytes: [UInt8], of task: TaskID) throws(StoreError) {
        guard case .part(let part)? = try? TaskMessage(decoding: bytes), part.task == task else {
            throw StoreError(.corrupt, message: "a part of the list of task \(task) in the archive cannot be decoded")
        }
        self = part
    }
}

extension TaskArchive {
    /// Stores a part, which came as these bytes, for this time.
    package func keep(
        _ part: TaskPart, encoded bytes: [UInt8], for life: Duration = TaskArchiveBounds.partRetention
    ) async throws(StoreError) {
        try await keep(
            bytes, number: part.number, of: part.task, hasContents: !part.contents.isEmpty, for: life)
    }

    package func keep(
        _ bytes: [UInt8], number: Int, of task: TaskID, hasContents: Bool,
        for life: Duration = TaskArchiveBounds.partRetention
    ) async throws(StoreError) {
        if hasContents {
            try await keepContents(bytes, number: number, of: task, for: life)
        } else {
            try await keep(bytes, number: number, of: task, for: life)
        }
    }

    /// Keeps the listed contents of a task until after its deadline. They come before the task, or after it, and expire
    /// soon if nothing follows: each step that sends devices on calls this first.
    package func retainContents(of task: TaskID, deadline: Timestamp, at now: Timestamp) async throws(StoreError) {
        try await extendContents(of: task, for: max(deadline - now, .zero) + TaskArchiveBounds.retention)
    }
}
