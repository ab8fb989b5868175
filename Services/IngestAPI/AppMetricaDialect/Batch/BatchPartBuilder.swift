import PushModel
import TaskModel
import Topics

/// Collects the entries of one task's list into parts.
struct BatchPartBuilder {
    /// More than the rest of a content besides its texts, which are never longer than in the request.
    private static let contentOverhead = 512

    private let task: TaskID
    /// True if each entry has the content of its element; else the task has one for all.
    private let hasContents: Bool
    private var partCount = 0
    private var entryCount = 0
    private var bytes = 0
    private var entries: [TargetEntry] = []
    private var contents: [TaskContent] = []
    private var choices: [Int] = []
    /// The messages of the last content, which mostly serve the next entries too.
    private var last: ArraySlice<UInt8>?
    /// A list that is short enough for the message of its task.
    private var short: [TargetEntry]?

    init(task: TaskID, hasContents: Bool) {
        self.task = task
        self.hasContents = hasContents
    }

    var list: TargetList {
        if let short { return .entries(short) }
        return .parts(count: partCount, entries: entryCount)
    }

    /// Returns the part before, if there is no room in it for the entry.
    mutating func add(_ entry: TargetEntry, messages: ArraySlice<UInt8>) throws -> [TaskPart] {
        let isKnown = !hasContents || isLast(messages)
        let size = entry.bytesAtMost + (isKnown ? 0 : messages.count + BatchPartBuilder.contentOverhead)
        let isFull = entries.count == TargetList.entriesMaximum || bytes + size > TaskLimits.partBytesMaximum
        let full = isFull && !entries.isEmpty ? [cut()] : []
        if hasContents { try choose(messages) }
        entries.append(entry)
        bytes += size
        entryCount += 1
        return full
    }

    /// The last part; none if the list is short.
    mutating func finish() -> [TaskPart] {
        guard !entries.isEmpty else { return [] }
        if partCount == 0, !hasContents {
            short = entries
            return []
        }
        return [cut()]
    }

    private func isLast(_ messages: ArraySlice<UInt8>) -> Bool {
        guard let last else { return false }
        return last.startIndex == messages.startIndex || last == messages
    }

    private mutating func choose(_ messages: ArraySlice<UInt8>) throws {
        if !isLast(messages) {
            contents.append(try AppMetricaMessages.content(of: messages))
            last = messages
        }
        choices.append(contents.count - 1)
    }

    private mutating func cut() -> TaskPart {
        let part = TaskPart(
            task: task, number: partCount, entries: entries, contents: contents, choices: choices)
        partCount += 1
        bytes = 0
        entries.removeAll(keepingCapacity: true)
        contents = []
        choices = []
        last = nil
        return part
    }
}
