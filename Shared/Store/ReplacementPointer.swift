package import PushModel
package import ServiceKit

/// Which task of a key counts. A plain value: it is changed by setting another one at the generation that was read.
package struct ReplacementPointer: Hashable, Sendable {
    /// Limit of `cancelling`. Before another is added, the cancels of a full list are finished.
    package static let cancellingMaximum = 16
    /// How long a pointer without a task is kept, which only fences off a request that has read the one before.
    package static let fenceRetention = Duration.seconds(86_400)

    /// Zero for a key without a pointer; raised by every change.
    package let generation: Int64
    package private(set) var current: TaskID?
    /// Tasks that were replaced and whose cancel is not finished; the earliest first.
    package private(set) var cancelling: [TaskID] = []
    /// When it expires: not before the content of any task that it has named, since a task that was replaced must not
    /// be released for lack of a pointer.
    package private(set) var end: Timestamp

    package init(
        generation: Int64 = 0, current: TaskID? = nil, cancelling: [TaskID] = [],
        end: Timestamp = Timestamp(milliseconds: 0)
    ) {
        self.generation = generation
        self.current = current
        self.cancelling = cancelling
        self.end = end
    }

    package var isFull: Bool { cancelling.count >= ReplacementPointer.cancellingMaximum }

    /// The task counts from now on, and the one before is to be cancelled.
    package func replaced(by task: TaskID, until end: Timestamp) -> ReplacementPointer {
        var pointer = self
        if let current, current != task { pointer.cancelling.append(current) }
        pointer.current = task
        pointer.end = max(end, self.end)
        return pointer
    }

    /// A task that is not current is to be cancelled.
    package func cancelling(_ task: TaskID, until end: Timestamp) -> ReplacementPointer {
        var pointer = self
        if !pointer.cancelling.contains(task) { pointer.cancelling.append(task) }
        pointer.end = max(end, self.end)
        return pointer
    }

    /// The cancels of these tasks are finished.
    package func cancelled(_ tasks: [TaskID]) -> ReplacementPointer {
        var pointer = self
        pointer.cancelling.removeAll { tasks.contains($0) }
        return pointer
    }

    /// The same: a change that was prepared before fails.
    package func fenced(at now: Timestamp) -> ReplacementPointer {
        var pointer = self
        pointer.end = max(end, now + ReplacementPointer.fenceRetention)
        return pointer
    }
}

/// What a store keeps beside the generation.
extension ReplacementPointer {
    private static let format: UInt8 = 1

    package var packed: [UInt8] {
        var bytes = [ReplacementPointer.format]
        bytes.append(
            contentsOf: stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: end.milliseconds >> $0) })
        bytes.append(current == nil ? 0 : 1)
        for task in [current].compactMap({ $0 }) + cancelling { bytes.append(contentsOf: task.bytes) }
        return bytes
    }

    /// Nil for another format.
    package init?(packed bytes: [UInt8], generation: Int64) {
        var reader = ByteReader(bytes)
        guard reader.byte() == ReplacementPointer.format, let end = reader.integer(Int64.self),
            let hasCurrent = reader.byte()
        else { return nil }
        var tasks: [TaskID] = []
        while !reader.isAtEnd {
            guard let task = reader.bytes(16).flatMap({ TaskID(bytes: Array($0)) }) else { return nil }
            tasks.append(task)
        }
        guard hasCurrent == 0 || !tasks.isEmpty else { return nil }
        self.init(
            generation: generation, current: hasCurrent == 0 ? nil : tasks[0],
            cancelling: Array(hasCurrent == 0 ? tasks[...] : tasks.dropFirst()), end: Timestamp(milliseconds: end))
    }
}
